import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tableHead, tableLines } from '../../../../server/routes/lists/event-table.js'

test('a table has its own columns and the named decision points; texts are quoted, formulas are none', () => {
  assert.equal(
    tableHead(['rule.name', 'a,b']),
    '\uFEFFevent_id,time,title,severity,decision,confidence,consensus,outlier,rule.name,"a,b"\r\n',
  )
  const event = {
    event_id: '=1+1',
    '@timestamp': '2026-01-10T10:00:00Z',
    title: 'he said "no"\nand left',
    severity: -5,
    result_label: 'Drop',
    confidence_score: 99.5,
    consensus: null,
    outlier: false,
    decision_points: { 'rule.name': ['a', 'b'], 'a,b': '@SUM(A1)' },
  }
  assert.equal(
    tableLines([event], ['rule.name', 'a,b', 'gone']),
    `'=1+1,2026-01-10T10:00:00Z,"he said ""no""\nand left",-5,Drop,99.5,,false,"[""a"",""b""]",'@SUM(A1),\r\n`,
  )
})
