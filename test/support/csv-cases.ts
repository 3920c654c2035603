/** What CSV means: to the command line, to the console, and to field statistics. */

interface CsvCase {
  readonly name: string
  readonly text: string
  readonly events: readonly unknown[]
  /** Records that are no events. The command line ends at one, the others count it. */
  readonly bad?: number
  /** What the command line says of the first of them. */
  readonly says?: RegExp
}

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
    name: 'a record without any field is no event and no fault',
    text: 'a,b\n,\n1,\n,,,\n',
    events: [{ a: 1 }],
  },
  {
    name: 'a record with values beyond the names is no event, and the next one is',
    text: 'a,b\n1,2,3\n4,5,\n',
    events: [{ a: 4, b: 5 }],
    bad: 1,
    says: /CSV: record 2 has 3 fields, the header has 2/,
  },
  {
    name: 'a record whose quote is not closed is no event',
    text: 'a,b\n1,2\n3,"4\n5,6',
    events: [{ a: 1, b: 2 }],
    bad: 1,
    says: /CSV: a quote is not closed at the end of the input/,
  },
  {
    name: 'a column may have the name of what every object has',
    text: '__proto__.x,constructor\n1,2',
    events: [JSON.parse('{"__proto__":{"x":1},"constructor":2}')],
  },
]

/** Two columns have one name. */
export const csvOfOneNameTwice = 'rule, rule\n1,2\n'

/** Events as JSON has them. */
export function plain(events: readonly unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(events)) as unknown[]
}
