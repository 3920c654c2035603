/** Resources that make a job with an input and a key of its own. Its decision points are `rule` and `host`. */
export function jobDocument(name: string): unknown {
  const labels = ['A', 'B', 'C'].map((label) => ({ name: label, hex_color: '#ED0A2C' }))
  return {
    resources: {
      [`${name}-key`]: { type: 'api_key', properties: { name: `${name}-key` } },
      [`${name}-input`]: {
        type: 'integration',
        properties: {
          title: `${name}-input`,
          integration_type: 'External REST API',
          parameters: { api_key: `{{api_keys(name='${name}-key')}}`, data_type: 'alerts' },
        },
      },
      [name]: {
        type: 'job',
        properties: {
          title: name,
          category: 'Decision intelligence',
          decision_points: ['rule', 'host'],
          advanced_settings: { custom_labels: labels },
          pipeline_integrations: [{ resource: `${name}-input`, integration_type: 'input', enabled: true }],
        },
      },
    },
  }
}
