/**
 * Metadata of the categories of jobs (CONTRACT.md#jobs): what each is for, and the JSON Schema of the properties of its
 * jobs. The schema is generated from the shapes that check documents (job-shapes.ts).
 */
import { z } from 'zod'
import { jobCategories, type JobCategory } from '../../domain/job/job.js'
import { defaultLabels } from '../../domain/job/labels.js'
import type { Mapping } from '../mappings/mapping.js'
import { mappings } from '../mappings/mappings.js'
import { jobProperties } from '../job-shapes.js'
import type { IntegrationKind } from './integration-registry.js'

interface CategoryDetails {
  readonly id: string
  readonly description: string
  /** What the decision points of such a job do. */
  readonly points: string
}

const details: Readonly<Record<JobCategory, CategoryDetails>> = {
  'Decision intelligence': {
    id: 'decision_intelligence',
    description: 'Groups alerts with equal values at the decision points into buckets. Feedback counts for a bucket.',
    points: 'Alerts with equal values at these paths share a bucket. Decisions and training use only these values.',
  },
  'Event centric decision intelligence': {
    id: 'event_centric_decision_intelligence',
    description: 'Triages each alert separately, without buckets.',
    points: 'Decisions and training use only the values at these paths.',
  },
  'Automated root cause analysis': {
    id: 'automated_root_cause_analysis',
    description: 'Clusters alerts by a set of fields, and splits each cluster into root cause and symptoms.',
    points:
      'Further values that the classification uses; may be empty. How alerts are clustered is set at the processors.',
  },
}

export interface CategorySummary {
  readonly id: string
  readonly name: JobCategory
  readonly description: string
}

function summary(name: JobCategory): CategorySummary {
  const { id, description } = details[name]
  return { id, name, description }
}

/** The category with that name or id, in any case, or null. */
export function categoryByName(text: string): JobCategory | null {
  const wanted = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_')
  return jobCategories.find((name) => details[name].id === wanted) ?? null
}

export function describeCategories(): { readonly job_categories: readonly CategorySummary[] } {
  return { job_categories: jobCategories.map(summary) }
}

type Schema = z.core.JSONSchema.JSONSchema

function propertyOf(schema: Schema, name: string): Schema {
  return (schema.properties as Record<string, Schema>)[name] as Schema
}

function describeMapping({ points, avoid, ...mapping }: Mapping): Record<string, unknown> {
  const { id, name, description, documentation } = mapping
  return {
    id,
    name,
    description,
    documentation,
    time_field: mapping.timeField,
    title_field: mapping.titleField,
    severity_field: mapping.severityField,
    suggested_decision_points: points,
    fields_to_avoid: avoid,
  }
}

/** The properties of a job by name, in short. */
function parametersOf({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties as Record<string, Schema>).map(([name, { type, description }]) => [
      name,
      { type, required: required.includes(name), description },
    ]),
  )
}

/**
 * The category with the `properties` of its jobs, in short as `parameters` and as a JSON Schema. The field mappings are
 * most of an answer, so they are there only when asked for.
 */
export function describeCategory(
  name: JobCategory,
  processors: readonly IntegrationKind[],
  withMappings: boolean,
): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(jobProperties, { io: 'input' })
  Object.assign(propertyOf(schema, 'category'), { const: name })
  const points = propertyOf(schema, 'decision_points')
  points.description = `${points.description} ${details[name].points}`
  propertyOf(propertyOf(schema, 'advanced_settings'), 'custom_labels').default = defaultLabels(name).map((label) => ({
    name: label.name,
    hex_color: label.hexColor,
    id: label.id,
  }))
  const added = processors.map((kind) => ({ id: kind.id, name: kind.name, description: kind.description }))
  return {
    ...summary(name),
    processors: added,
    parameters: parametersOf(schema),
    parameters_schema: schema,
    ...(withMappings ? { field_mappings: mappings.map(describeMapping) } : {}),
  }
}
