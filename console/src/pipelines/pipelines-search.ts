import { listSearch, type ListSearch, type Values } from '../app/route-values.ts'
import { labelsIn } from '../parts/labels.ts'

const sorts = ['name', '-lastRunAt', 'criticality'] as const
export type PipelineSort = (typeof sorts)[number]

/** `managed`: also those that workspaces brought. */
export type PipelinesSearch = ListSearch & {
  managed?: boolean
  /** Of which a pipeline has one. */
  label?: string[]
  /** Without it: as they were created. */
  sort?: PipelineSort
}

export function pipelinesSearch(search: Values): PipelinesSearch {
  const label = labelsIn(search['label'])
  const sort = sorts.find((one) => one === search['sort'])
  return {
    ...listSearch(search),
    ...(search['managed'] === true && { managed: true }),
    ...(label.length > 0 && { label }),
    ...(sort && { sort }),
  }
}
