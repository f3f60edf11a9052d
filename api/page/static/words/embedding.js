// "key": [zh, en]
export default {
  "embed.hide": ["收起", "Hide"],
  "embed.refused": ["此处的问数暂时无法使用。", "Wenshu is not available here."],
  "embed.refused.why": ["本页的密钥不对、已过期，或不适用于这个网站。请联系网站管理员。", "This page's key is wrong, has expired, or is for another site. Please tell whoever runs the site."],
};
