// "key": [zh, en]
export default {
};
