import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inWords } from '../../../../engine/services/explain/in-words.js'
import { explained } from '../../../support/engine/explained.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings({ decisionPoints: ['rule', 'host'] })

/** Rules tell the labels apart, hosts do not. */
async function taught(of = job): Promise<TestShard> {
  const shard = new TestShard()
  for (let i = 0; i < 40; i++) {
    const isThreat = i % 2 === 0
    await shard.ingest(of, { rule: isThreat ? 'malware' : 'backup', host: `host-${i % 5}` }, `e${i}`)
    await shard.feedback(of, `e${i}`, 'ann', isThreat ? 'Escalate' : 'Drop')
  }
  await shard.install(of, shard.train(of, 1))
  return shard
}

describe('an explanation in words', () => {
  it('says what people answered in the bucket, what the model says alone, and what that hangs on', async () => {
    const shard = await taught()
    await shard.ingest(job, { rule: 'malware', host: 'host-0' }, 'known')
    const { inWords: words, decision, model } = explained(shard, job, 'known')
    assert.equal(
      words[0],
      `Escalate with a confidence of ${decision.confidenceScore}: ` +
        'people answered so on 4 of 4 voted events of its bucket.',
    )
    assert.equal(words[1], `The model alone says Escalate with ${model?.answer?.confidenceScore}.`)
    assert.match(words[2] as string, /^Without rule = "malware" it would (still )?be \w+ with [\d.]+\.$/)
    assert.match(words[3] as string, /^The nearest labelled event, e\d+, is Escalate \(likeness 1\)\.$/)
  })

  it('says that people meanwhile say something else, and that a field alone decides nothing', async () => {
    const shard = await taught()
    await shard.ingest(job, { rule: 'backup', host: 'host-1' }, 'one')
    for (let i = 0; i < 4; i++) await shard.feedback(job, 'one', `analyst-${i}`, 'Investigate')
    const parts = explained(shard, job, 'one')
    const voted = { ...parts, votes: parts.votes && { ...parts.votes, consensus: 'Investigate' } }
    assert.ok(inWords(voted).includes('People say Investigate of its bucket now.'))
    const { model } = parts
    assert.ok(model !== null)
    const flat = { ...parts, model: { ...model, fields: [], pair: null } }
    assert.ok(inWords(flat).some((text) => text.startsWith('No single field drives it')))
  })

  it('says that an outlier is one, and that there is no decision where there is none', async () => {
    const shard = await taught()
    await shard.ingest(job, { rule: 'never seen', host: 'nowhere' }, 'odd')
    const parts = explained(shard, job, 'odd')
    const odd = { ...parts, decision: { ...parts.decision, outlier: true } }
    assert.match(inWords(odd).at(-1) as string, /unlike .*was labelled.*: look at it yourself\.$/)
    const { model } = parts
    assert.ok(model !== null)
    const lacking = { field: 'host', value: null, known: 'host-1', outlierScore: 1 }
    assert.equal(
      inWords({ ...odd, model: { ...model, unlike: [lacking] } }).at(-1),
      'Most unlike what was labelled is that it has no host (the nearest has "host-1"): look at it yourself.',
    )
    const fields = [{ resultLabel: '', confidenceScore: 0, effect: 90, fields: [{ field: 'rule', value: 'x' }] }]
    const bare = { ...parts, model: { ...model, fields: fields as unknown as typeof model.fields, pair: null } }
    assert.ok(inWords(bare).includes('Without rule = "x" there would be no decision.'))
    const pending = { ...parts, decision: { ...parts.decision, status: 'pending_inference' as const } }
    assert.deepEqual(inWords(pending), ['It has no decision yet.'])
    const young = new TestShard()
    await young.ingest(job, { rule: 'a', host: 'b' }, 'first')
    assert.match(explained(young, job, 'first').inWords[0] as string, /^No decision: the job had no trained model/)
  })
})
