import type { AnyRunDetail, RunDetail } from '../api/types.ts'

/** Whether it is a run of a workspace, and not one of an application. */
export const isOfWorkspace = (run: AnyRunDetail): run is RunDetail => run.kind !== 'application'
