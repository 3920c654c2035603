/** The name of a model version outside the engine: unique in the service, in the order of versions within a job. */
export function modelIdOf(jobId: number, version: number): string {
  return `model_${jobId}_${version}`
}

/** The version in a name of modelIdOf, or null where it is none of that job. */
export function versionOf(jobId: number, modelId: string): number | null {
  const [, job, version] = /^model_(\d{1,10})_(\d{1,10})$/.exec(modelId) ?? []
  return job !== undefined && Number(job) === jobId ? Number(version) : null
}
