/** The pipeline of a job: its steps, in the order in which events pass them. */
import { useSignal } from '@preact/signals'
import type { PipelineStep } from '../../../client/index.js'
import { addresses } from '../../addresses.js'
import { Confirm } from '../../parts/confirm.js'
import { JobFrame } from '../../parts/job-head.js'
import { Loaded } from '../../parts/loaded.js'
import { Table } from '../../parts/table.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { readDocument, saveDocument, type JobChange } from '../../state/job-document.js'
import { job as jobOfPage, type ShownJob } from '../../state/jobs.js'
import { attempt, say } from '../../state/toasts.js'
import { t } from '../../texts.js'
import NotFound from '../not-found.js'
import { AddStep } from './add-step.js'
import { EditStep } from './edit-step.js'
import { titleOf, type Kind, type Known, type Setup } from './setup.js'

async function readSetup(of: ShownJob, signal: AbortSignal): Promise<Setup> {
  const [document, integrations, metadata] = await Promise.all([
    readDocument(of.job_id, signal),
    api.listResources({ resource_type: 'integration' }, { signal }),
    api.getIntegrationMetadata({}, { signal }),
  ])
  const { integration_types: kinds = [] } = metadata as { readonly integration_types?: readonly Kind[] }
  return { steps: document.pipeline_integrations, known: integrations as unknown as readonly Known[], kinds }
}

interface StepsProps {
  readonly of: ShownJob
  readonly setup: Setup
  /** Saves a change, says it, and shows the pipeline as it is then. */
  readonly save: (change: JobChange, text: string) => Promise<void>
}

function Steps({ setup, save }: Omit<StepsProps, 'of'>) {
  const edited = useSignal<PipelineStep | null>(null)
  const removed = useSignal<PipelineStep | null>(null)
  const mayWrite = may('write:resources')
  const switchStep = (step: PipelineStep): void => {
    const enabled = step.enabled === false
    const text = t(enabled ? 'pipeline.switched_on' : 'pipeline.switched_off', { title: titleOf(step) })
    void attempt(() => save({ pipeline_integrations: [{ ...step, enabled }] }, text))
  }
  const remove = async (step: PipelineStep): Promise<void> => {
    const rest = setup.steps.filter((one) => one !== step)
    const change = { pipeline_integrations: rest, remove_missing_pipeline_integrations: true }
    await save(change, t('pipeline.removed', { title: titleOf(step) }))
  }
  return (
    <>
      <Table
        columns={[
          { text: t('pipeline.role') },
          { text: t('integrations.head.integration') },
          { text: t('pipeline.parameters') },
          { text: t('integrations.head.state') },
          ...(mayWrite ? [{ text: t('deliveries.head.act') }] : []),
        ]}
        rows={setup.steps.map((step) => {
          const known = setup.known.find(({ title }) => title === titleOf(step))
          const isOwn = step.integration_type !== 'processor'
          return {
            key: `${step.resource} ${step.integration_type}`,
            cells: [
              t(`pipeline.role.${step.integration_type ?? 'processor'}`),
              known === undefined ? titleOf(step) : <a href={addresses.integration(known.id)}>{titleOf(step)}</a>,
              <ParametersText key="p" step={step} />,
              t(step.enabled === false ? 'people.disabled' : 'people.enabled'),
              ...(mayWrite
                ? [
                    isOwn ? (
                      <span key="a" class="row">
                        <button type="button" onClick={() => (edited.value = step)}>
                          {t('pipeline.edit')}
                        </button>
                        <button type="button" onClick={() => switchStep(step)}>
                          {t(step.enabled === false ? 'people.enable' : 'people.disable')}
                        </button>
                        <button type="button" class="plain" onClick={() => (removed.value = step)}>
                          {t('pipeline.remove')}
                        </button>
                      </span>
                    ) : (
                      <span key="a" class="dim">
                        {t('pipeline.always')}
                      </span>
                    ),
                  ]
                : []),
            ],
          }
        })}
      />
      {edited.value === null ? null : <EditStep step={edited.value} close={() => (edited.value = null)} save={save} />}
      {removed.value === null ? null : (
        <Confirm
          title={t('pipeline.remove_title', { title: titleOf(removed.value) })}
          verb={t('pipeline.remove')}
          close={() => (removed.value = null)}
          act={() => (removed.value === null ? Promise.resolve() : remove(removed.value))}
        >
          <p>{t(`pipeline.remove_means.${removed.value.integration_type === 'input' ? 'input' : 'other'}`)}</p>
        </Confirm>
      )}
    </>
  )
}

function ParametersText({ step }: { readonly step: PipelineStep }) {
  const entries = Object.entries(step.parameters ?? {}).filter(([, value]) => value !== '' && value !== null)
  if (entries.length === 0) return <span class="dim">—</span>
  return (
    <ul class="mono">
      {entries.map(([name, value]) => (
        <li key={name}>
          {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
        </li>
      ))}
    </ul>
  )
}

function PipelineOf({ of }: { readonly of: ShownJob }) {
  const data = useData(`pipeline ${of.job_id}`, (signal) => readSetup(of, signal))
  const save = async (change: JobChange, text: string): Promise<void> => {
    const warnings = await saveDocument(of, change)
    say([text, ...warnings.map(({ msg }) => msg)].join(' '))
    data.reload()
  }
  return (
    <JobFrame of={of}>
      <section class="panel stack">
        <header>
          <h2>{t('pipeline.title')}</h2>
          <p class="dim">{t('pipeline.text')}</p>
        </header>
        <Loaded data={data} lines={4}>
          {(setup) => <Steps setup={setup} save={save} />}
        </Loaded>
      </section>
      {may('write:resources') && data.value !== null ? <AddStep setup={data.value} save={save} /> : null}
    </JobFrame>
  )
}

export default function Pipeline() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <PipelineOf key={of.job_id} of={of} />
}
