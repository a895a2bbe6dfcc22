import { useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useMemo } from 'react'
import type { RunDetail, RunPlace } from '../api/types.ts'
import type { RunSearch } from '../app/searches.ts'
import { patched, planSearch, type PlanPatch } from '../infrastructure/plan-search.ts'
import type { Plan, PlannedResource } from '../infrastructure/plan.ts'
import { Loading } from '../parts/notes.tsx'
import { loadPlanView } from './load-plan-view.ts'
import { marksOfRun, ResourceMarks } from './resource-marks.tsx'
import { nameOfRun } from './run-row.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'

const PlanView = lazyPart(async () => ({ default: (await loadPlanView()).PlanView }))

type Props = {
  run: RunDetail
  plan: Plan
  place: RunPlace
  workspace: string
  search: RunSearch
}

/** The plan of a run, with what the run says of its resources. */
export function PlanTab({ run, plan, place, workspace, search }: Props) {
  const shown = useMemo(() => planSearch(search), [search])
  const onSearch = usePlanPatch(place)
  const marks = useMemo(() => marksOfRun(run), [run])
  const beside = useCallback(
    (resource: PlannedResource) => <ResourceMarks marks={marks} resource={resource} />,
    [marks],
  )
  return (
    <Suspense fallback={<Loading what="the plan" />}>
      <PlanView
        first={plan}
        place={place}
        version={`${run.planDigest ?? ''} ${run.state}`}
        title={`Plan of ${nameOfRun(run)} of ${workspace}`}
        fileName={`plan-${workspace}-${run.number ?? run.id}`.replaceAll(/[^\w.-]+/g, '-')}
        search={shown}
        onSearch={onSearch}
        beside={beside}
      />
    </Suspense>
  )
}

/** Changes what of the plan is shown. It replaces the address, so that Back leads to the page before. */
function usePlanPatch({ kind, id, runId }: RunPlace) {
  const navigate = useNavigate()
  return useCallback(
    (patch: PlanPatch) => {
      const to = {
        params: { id, runId },
        search: (before: object) => ({
          tab: 'plan' as const,
          ...patched(planSearch({ ...before }), patch),
        }),
        replace: true,
        resetScroll: false,
      }
      void (kind === 'pipeline'
        ? navigate({ to: '/pipelines/$id/runs/$runId', ...to })
        : navigate({ to: '/workspaces/$id/runs/$runId', ...to }))
    },
    [kind, id, runId, navigate],
  )
}
