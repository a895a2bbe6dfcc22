import { listSearch, type ListSearch, type Values } from '../app/route-values.ts'

/** `managed`: also those that workspaces brought. */
export type PipelinesSearch = ListSearch & { managed?: boolean }

export const pipelinesSearch = (search: Values): PipelinesSearch => ({
  ...listSearch(search),
  ...(search['managed'] === true && { managed: true }),
})
