/**
 * The entry of a reader thread: long questions, answered from a snapshot, off the HTTP thread (D6).
 *
 * 1. Between questions nothing of the store is mapped, so that the shards can give their maps back (residency.ts).
 */
import { limits } from '../../limits.js'
import { proveChain } from '../audit/audit-proof.js'
import { queryAudit } from '../audit/audit-query.js'
import type { AuditFieldTerms } from '../../api/audit-service.js'
import { auditTables } from '../audit/audit-tables.js'
import { listedFields, readTerms } from '../audit/audit-terms.js'
import { openCatalog, openShard } from '../../store/directory/environments.js'
import type { Environment } from '../../store/environment.js'
import { disagreementsOf } from '../consensus/disagreements.js'
import { answerMetrics } from '../report/metrics-answer.js'
import { answerQuery } from '../query/query-answer.js'
import type { Question } from './reader-queries.js'

const nowMs = (): number => performance.now()

/** Answers one question. */
export default async function answer(question: Question): Promise<unknown> {
  if (question.ask === 'storedEvents') return answerQuery(question.dataDir, question.task)
  if (question.ask === 'metrics') return answerMetrics(question.dataDir, question.task)
  const environment =
    question.ask === 'disagreements'
      ? openShard(question.dataDir, question.job.shard)
      : openCatalog(question.dataDir, auditTables)
  try {
    environment.refresh()
    return answerFrom(environment, question)
  } finally {
    await environment.close()
  }
}

function answerFrom(
  environment: Environment,
  question: Exclude<Question, { ask: 'storedEvents' | 'metrics' }>,
): unknown {
  switch (question.ask) {
    case 'auditEntries':
      return queryAudit(environment, question.query, nowMs)
    case 'auditTerms':
      return termsOf(environment)
    case 'auditProof':
      return proveChain(environment, question.witnesses)
    case 'disagreements':
      return disagreementsOf(environment, question.job, question.query, nowMs)
  }
}

function termsOf(environment: Environment): AuditFieldTerms[] {
  return listedFields.map((field) => {
    const terms = readTerms(environment, field)
    return { field, terms, complete: terms.length < limits.auditTermsMax }
  })
}
