import { LookBadge } from './look-badge.tsx'
import { runLook, type Shown } from './run-look.ts'

export const StateBadge = ({ run }: { run: Shown }) => <LookBadge look={runLook(run)} />
