// SQL in small pieces, each with what it is, to be shown in colours.
const WORDS = new Set(`ALL AND ANY AS ASC BETWEEN BY CASE CAST CROSS CURRENT DATE DESC DISTINCT ELSE END EXCEPT EXISTS FALSE FILTER FIRST
FOLLOWING FROM FULL GROUP HAVING IN INNER INTERSECT INTERVAL INTO IS JOIN LAST LEFT LIKE LIMIT NOT NULL NULLS OFFSET ON OR ORDER OUTER
OVER PARTITION PRECEDING QUALIFY RANGE RECURSIVE RIGHT ROW ROWS SELECT THEN TIMESTAMP TRUE UNBOUNDED UNION USING VALUES WHEN WHERE WITH
DAY MONTH QUARTER WEEK YEAR DECIMAL INTEGER BIGINT DOUBLE TEXT BOOLEAN ESCAPE`.split(/\s+/));

const PIECE = /(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*")|(?<number>\b\d+(?:\.\d+)?\b)|(?<name>[\p{L}_][\p{L}\p{N}_$]*)|(?<space>\s+)|(?<sign>[^\s])/gu;

/** The pieces of a statement, in order, none left out: `{kind, text}`; kinds: keyword, call, name, string, quoted, number, comment, sign, space. */
export function pieces(text) {
  return [...text.matchAll(PIECE)].map((match) => {
    const [kind, found] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    if (kind !== "name") return { kind, text: found };
    if (WORDS.has(found.toUpperCase())) return { kind: "keyword", text: found };
    return { kind: text[match.index + found.length] === "(" ? "call" : "name", text: found };
  });
}
