/** What CSV means: to the command line, to the console, and to field statistics. */

interface CsvCase {
  readonly name: string
  readonly text: string
  readonly events: readonly unknown[]
  /** The lines of records that are no events. */
  readonly bad?: readonly number[]
}

const ownHead = 'event_id,time,title,severity,decision,confidence,consensus,outlier'

export const csvCases: readonly CsvCase[] = [
  {
    name: 'dots make paths, and empty cells are no fields',
    text: 'rule.id,host.name,note\r\n4625,web-1,\r\n\r\n,"",x\r\n',
    events: [{ rule: { id: 4625 }, host: { name: 'web-1' } }, { note: 'x' }],
  },
  {
    name: 'a name stays as it is where a part of its path is a column',
    text: 'user.name,user.name.keyword,a..b\nann,Ann,1',
    events: [{ user: { name: 'ann' }, 'user.name.keyword': 'Ann', 'a..b': 1 }],
  },
  {
    name: 'quoted cells hold separators, quotes and line breaks',
    text: 'a;b\n"x;""y""\r\n\r\nz";"w"\n"";last\n"q"r;"s"',
    events: [{ a: 'x;"y"\n\nz', b: 'w' }, { b: 'last' }, { a: 'qr', b: 's' }],
  },
  {
    name: 'numbers as JSON writes them are numbers, others stay text',
    text: 'v|w\n1|\n-2.5|\n007|\n1.10|\n1e5|\n 3|\ntrue|false\n12345678901234567890|\nNaN|',
    events: [
      ...[1, -2.5, '007', '1.10', '1e5', ' 3'].map((v) => ({ v })),
      { v: true, w: false },
      { v: '12345678901234567890' },
      { v: 'NaN' },
    ],
  },
  {
    name: 'blanks around names do not count, and columns without a name are left out',
    text: ', rule ,\n0,a,1\n1,b,2',
    events: [{ rule: 'a' }, { rule: 'b' }],
  },
  {
    name: 'the separator is the one that the first line has most of, outside of quotes',
    text: 'a\t"b,c,d"\n1\t2',
    events: [{ a: 1, 'b,c,d': 2 }],
  },
  {
    name: 'a first line names the separator, and is no names',
    text: 'sep=;\nrule.id;host;note,too\n4625;web-1;"a;b"',
    events: [{ rule: { id: 4625 }, host: 'web-1', 'note,too': 'a;b' }],
  },
  {
    name: 'a byte order mark stands before the separator and before a quoted name',
    text: '\uFEFF"sep=|"\r\n"a,b"|c\r\n1|2\r\n',
    events: [{ 'a,b': 1, c: 2 }],
  },
  {
    name: 'blanks before and behind quotes do not count',
    text: '\uFEFF"rule", note\n4625, "too many, again"\n1,\t"x" \n',
    events: [
      { rule: 4625, note: 'too many, again' },
      { rule: 1, note: 'x' },
    ],
  },
  {
    name: 'lines end with CR alone',
    text: 'rule,note\r1,"a\rb"\r2,c\r',
    events: [
      { rule: 1, note: 'a\nb' },
      { rule: 2, note: 'c' },
    ],
  },
  {
    name: 'a CR in a line is no end where lines end otherwise',
    text: 'rule,note\n1,a\rb\n',
    events: [{ rule: 1, note: 'a\rb' }],
  },
  {
    name: 'columns of one name are told apart',
    text: 'rule, rule,rule_2,rule\n1,2,3,4\n',
    events: [{ rule: 1, rule_3: 2, rule_2: 3, rule_4: 4 }],
  },
  {
    name: 'a record without any field is no event and no fault',
    text: 'a,b\n,\n1,\n,,,\n',
    events: [{ a: 1 }],
  },
  {
    name: 'a record with values beyond the names is no event, and the next one is',
    text: 'a,b\n"x\ny",2,3\n4,5,\n',
    events: [{ a: 4, b: 5 }],
    bad: [2],
  },
  {
    name: 'a quote that is not closed breaks its own line only',
    text: 'a,b\n1,2\n3,"4\n5,6\n7,8',
    events: [
      { a: 1, b: 2 },
      { a: 5, b: 6 },
      { a: 7, b: 8 },
    ],
    bad: [3],
  },
  {
    name: 'a quote that another record would close breaks its own line only',
    text: 'a,b\n1,"2\n3,"4"\n"x\ny","5\n6,7\n8,"9"',
    events: [
      { a: 3, b: 4 },
      { a: 6, b: 7 },
      { a: 8, b: 9 },
    ],
    bad: [2, 4],
  },
  {
    name: 'a column may have the name of what every object has',
    text: '__proto__.x,constructor\n1,2',
    events: [JSON.parse('{"__proto__":{"x":1},"constructor":2}')],
  },
  {
    name: 'a cell of another program keeps its apostrophe',
    text: "a\n'=1+1\n",
    events: [{ a: "'=1+1" }],
  },
  {
    name: 'a table of this service has no marks before formulas, and nothing that the service said',
    text:
      `\uFEFF${ownHead},rule,title,tags\r\n` +
      `e-1,2026-01-01T00:00:00Z,'=A,5,Drop,80,,false,"'=1\r\n2","''=T","[""a"",1]"\r\n`,
    events: [{ '@timestamp': '2026-01-01T00:00:00Z', severity: 5, rule: '=1\r\n2', title: "'=T", tags: ['a', 1] }],
  },
]

/** Events as JSON has them. */
export function plain(events: readonly unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(events)) as unknown[]
}
