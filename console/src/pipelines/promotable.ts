import type { Run } from '../api/types.ts'

type Released = Pick<Run, 'artifact'>

/** Whether the bytes that a run deployed can be deployed again. */
export const isKept = ({ artifact }: Released, nowMs: number): boolean =>
  artifact != null && (artifact.keptUntil === null || Date.parse(artifact.keptUntil) > nowMs)

type Source = { id: number; appGitConnectionId: number | null; appRepo: string | null }

/** The pipelines whose artifacts this one may deploy: of the same repository. Others come first: a promotion is from them. */
export const sourcesOf = <One extends Source>(pipeline: Source, all: readonly One[]): One[] =>
  all
    .filter(
      ({ appGitConnectionId, appRepo }) =>
        appGitConnectionId !== null &&
        appGitConnectionId === pipeline.appGitConnectionId &&
        appRepo === pipeline.appRepo,
    )
    .toSorted((a, b) => Number(a.id === pipeline.id) - Number(b.id === pipeline.id))
