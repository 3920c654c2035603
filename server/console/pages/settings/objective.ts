/** What answers should be good at. */
export const objectives = ['macro_f1', 'accuracy'] as const
