/** The id of a model version outside the engine, unique in the service. */
export function modelIdOf(jobId: number, version: number): string {
  return `model_${jobId}_${version}`
}

/** The version in an id that modelIdOf made for this job, or null. */
export function versionOf(jobId: number, modelId: string): number | null {
  const [, job, version] = /^model_(\d{1,10})_(\d{1,10})$/.exec(modelId) ?? []
  return job !== undefined && Number(job) === jobId ? Number(version) : null
}
