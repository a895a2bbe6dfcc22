import { nameOfAnomaly } from '../../domain/finops/anomalies/anomaly-scope.ts'
import type { NoticeScope } from '../../domain/notifications/announcement.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { foundAnomalies } from '../../store/finops/found-anomalies.ts'
import { isToldOfTotal } from '../../store/finops/is-told-of-total.ts'
import {
  shownAnomalies,
  type AnomalyRun,
  type ShownAnomaly,
} from '../../store/finops/shown-anomalies.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { announce } from '../notifications/announce.ts'

/**
 * Tells of an anomaly that opened, and again when its impact has doubled since. Where it is below another, that one is
 * told, whose impact has both. One that is over is told to nobody; one of a tag neither, where people are told of the
 * whole cost of the same days and the tag is one that drove it: a rise of everything is one message, which names the
 * tags that rose most. Where the tag's has doubled since, it is told. In the caller's transaction; a second call finds
 * that it was told.
 */
export async function tellOfAnomaly(tenant: Tenant, id: number): Promise<void> {
  const found = await shownAnomalies(tenant).find(id)
  if (!found) return
  const anomaly =
    found.parentId === null ? found : await shownAnomalies(tenant).find(found.parentId)
  if (!anomaly || anomaly.state !== 'open') return
  const { toldImpact, impact } = anomaly
  const isGrown = toldImpact !== null && Number(impact) >= 2 * Number(toldImpact)
  if (toldImpact !== null && !isGrown) return
  if (!isGrown && (await isToldByTotal(tenant, anomaly)))
    return foundAnomalies(tenant).setTold(anomaly.id, impact)
  const { currency } = await organizationSettings(tenant)
  // Channels compare it with an amount in the organization's currency.
  const inOwn = anomaly.currency === currency ? { impact } : {}
  await announce(tenant, { ...announcementOf(anomaly, isGrown), ...inOwn })
  await foundAnomalies(tenant).setTold(anomaly.id, impact)
}

const isToldByTotal = async (tenant: Tenant, anomaly: ShownAnomaly): Promise<boolean> =>
  anomaly.scope?.kind === 'tag' && isToldOfTotal(tenant, { ...anomaly, tag: anomaly.scope.value })

function announcementOf(anomaly: ShownAnomaly, isGrown: boolean) {
  const { id, provider, service, currency, impact, firstDay, lastDay, kind, severity } = anomaly
  const { scope, drivers, runs } = anomaly
  const label = nameOfAnomaly(anomaly)
  const excess = `${Number(impact).toFixed(2)} ${currency}`
  return {
    event: isGrown ? ('anomaly.grown' as const) : ('anomaly.opened' as const),
    subject: { kind: 'anomaly' as const, id, label },
    ...(isGrown && { dedupeKey: impact }),
    severity,
    title: isGrown
      ? `${label} has cost ${excess} more than expected, twice what was told before`
      : `${label} costs more than expected: ${excess} so far`,
    lines: [
      `From ${firstDay} to ${lastDay}. On ${anomaly.day} it cost ${Number(anomaly.actual).toFixed(2)} ${currency}, where ${Number(anomaly.expected).toFixed(2)} was expected.`,
      ...(scope === null
        ? []
        : [
            'This is what remains beside the anomalies of its services: no single one explains it.',
          ]),
      ...drivers.map(
        ({ dimension, value, amount }) =>
          `${dimension} ${value}: ${amount.toFixed(2)} ${currency} more.`,
      ),
      ...(runs.length === 0
        ? ['No run that was applied in these days is known to have caused it.']
        : []),
      ...runs.map(lineOfRun),
    ],
    path: `/cost/anomalies/${id}`,
    scope: noticeScopeOf(anomaly),
    userIds: [...new Set(runs.flatMap(({ authorId }) => authorId ?? []))],
    detail: {
      id,
      kind,
      severity,
      provider,
      service,
      scope,
      firstDay,
      lastDay,
      impact: Number(impact),
      currency,
      runs: runs.map(({ runId, workspaceId, because }) => ({ runId, workspaceId, because })),
    },
  }
}

/** Channels of a tag are told of it, and of what it drove. */
function noticeScopeOf(anomaly: ShownAnomaly): NoticeScope {
  const { provider, service, accountId, subAccountId, scope, drivers, runs } = anomaly
  const driving = drivers.filter(({ dimension }) => dimension === 'tag').map(({ value }) => value)
  return {
    ...(provider !== null && { provider }),
    ...(service !== null && { service }),
    ...(accountId !== null && { accountId }),
    ...(subAccountId !== null && { subAccountId }),
    tags: scope?.kind === 'tag' ? [scope.value] : driving,
    ...(runs.length > 0 && { workspaceIds: runs.map(({ workspaceId }) => workspaceId) }),
  }
}

const lineOfRun = ({ number, workspaceName, appliedAt, because }: AnomalyRun): string => {
  const what = because === 'resource' ? 'changed what rose' : 'is of the same account and service'
  return `Run ${number} of ${workspaceName}, applied on ${appliedAt.slice(0, 10)}, ${what}.`
}
