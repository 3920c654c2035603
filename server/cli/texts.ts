/** What the framework says: one sentence on standard error, without a stack. */
import { text_en, type ApplicationText } from '@stricli/core'
import { sentenceOf } from './failure.js'
import { cleanText } from './terminal/clean.js'

const sentence = (error: unknown): string => cleanText(sentenceOf(error))

export const texts: ApplicationText = {
  ...text_en,
  formatException: sentence,
  exceptionWhileRunningCommand: sentence,
  exceptionWhileLoadingCommandFunction: sentence,
  exceptionWhileLoadingCommandContext: sentence,
  commandErrorResult: sentence,
}
