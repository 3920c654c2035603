/** The name of a model version outside the engine: unique in the service, in the order of versions within a job. */
export function modelIdOf(jobId: number, version: number): string {
  return `model_${jobId}_${version}`
}
