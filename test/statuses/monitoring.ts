/** Recipes for the parts of the service, and for the service as a whole. */
import type { Recipe, Recipes } from './recipe.js'

const base = '/api/monitoring/api/v1'

/** A recipe of an operation on one container. */
function onContainer(prefix: string, name: string, rest = '', body?: unknown): Recipe {
  const ask = (path: string) => ({ path, ...(body === undefined ? {} : { body }) })
  return {
    good: () => ask(`${base}/${prefix}/${name}${rest}`),
    refusals: { 404: () => ask(`${base}/${prefix}/nothing/0${rest}`) },
  }
}

function series(what: string): Recipe {
  const recipe = onContainer(`containers/metrics/${what}`, 'monitor/process', '/5m')
  return {
    ...recipe,
    refusals: { ...recipe.refusals, 422: () => ({ path: `${base}/containers/metrics/${what}/monitor/process/2y` }) },
  }
}

const restart = onContainer('containers/restart', 'actor/0')
const level = { log_level: 'info' }

export const monitoringRecipes: Recipes = {
  checkMonitoring: { good: () => ({ path: `${base}/health/check` }) },
  getStoreStatus: { good: () => ({ path: `${base}/status/elasticsearch` }) },
  listContainers: { good: () => ({ path: `${base}/containers/all` }) },
  getContainer: onContainer('containers/info', 'actor/0'),
  getCpuUsage: series('cpu-usage'),
  getMemoryUsage: series('memory-usage'),
  checkContainer: onContainer('containers/healthcheck', 'store/catalog'),
  restartContainer: {
    ...restart,
    refusals: { ...restart.refusals, 409: () => ({ path: `${base}/containers/restart/api/main` }) },
  },
  restartAllContainers: { good: () => ({ path: `${base}/containers/restart/all` }) },
  setContainerLogLevel: onContainer('containers/loglevel', 'query/main', '', level),
  setMonitorLogLevel: { good: () => ({ path: `${base}/loglevel`, body: level }) },
  exportContainerLogs: onContainer('logs/export-zip', 'monitor/main'),
  exportAllLogs: { good: () => ({ path: `${base}/logs/export-all` }) },
  listLatestBatches: {
    good: () => ({ path: `${base}/batches/latest` }),
    refusals: { 422: () => ({ path: `${base}/batches/latest?size=0` }) },
  },
  exportObjects: { good: () => ({ path: `${base}/objects/export` }) },
  restartMonitoring: { good: () => ({ path: `${base}/restart` }) },
}
