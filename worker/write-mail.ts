import type { Tenant } from '../store/driver/tenant.ts'
import type { Config } from '../config.ts'
import { invitationHours, newSecret, resetMinutes } from '../domain/access/credentials.ts'
import { budgetFindingsOf } from '../domain/finops/budgets/judge-reach.ts'
import type { PresentedCost } from '../domain/finops/present-cost.ts'
import { hasCapability } from '../domain/access/roles.ts'
import type { PlanSummary } from '../domain/infrastructure/summarize-plan.ts'
import { approvalRuleOf } from '../domain/runs/approval-reason.ts'
import { originInWords } from '../domain/runs/run-origin.ts'
import { addressChangedLetter } from '../gateways/mail/letters/address-changed.ts'
import { approvalWaitingLetter } from '../gateways/mail/letters/approval-waiting.ts'
import { certificateExpiringLetter } from '../gateways/mail/letters/certificate-expiring.ts'
import {
  cloudAccountUnwellLetter,
  cloudAccountWellLetter,
} from '../gateways/mail/letters/cloud-account-health.ts'
import { invitationLetter } from '../gateways/mail/letters/invitation.ts'
import { secondFactorRemovedLetter } from '../gateways/mail/letters/second-factor-removed.ts'
import { passwordResetLetter } from '../gateways/mail/letters/password-reset.ts'
import type { Letter } from '../gateways/mail/letter.ts'
import type { Mail } from '../gateways/mail/mailer.ts'
import { syncPlans } from '../store/clouds/sync-plans.ts'
import type { Store } from '../store/driver/connect.ts'
import { mails, type MailDetail } from '../store/mails/mails.ts'
import { nameOfOrganization } from '../store/organizations/name-of-organization.ts'
import type { QueuedMail } from '../store/platform/mail-queue.ts'
import { approvers } from '../store/runs/approvers.ts'
import { workspaceRuns } from '../store/runs/workspace-runs.ts'
import { samlConfigurations } from '../store/saml/saml-configurations.ts'
import { holdPerson } from '../store/users/hold-person.ts'
import { userTokens } from '../store/users/user-tokens.ts'
import { users, type User } from '../store/users/users.ts'
import { workspaces } from '../store/workspaces/workspaces.ts'
import { writeCommentMail } from './write-comment-mail.ts'
import { writeReleaseMail } from './write-release-mail.ts'
import {
  writeNotice,
  writeNoticeDigest,
  writeNotificationDisabled,
  writeNotificationFailing,
} from './write-notice.ts'

type Place = { tenant: Tenant; row: QueuedMail; baseUrl: string; organizationName: string }
type PlaceOfPerson = Place & { person: User }

/**
 * Writes a mail from current data; undefined if the mail is no longer needed. The secret of a link is
 * created here, so that the queue contains none. Each attempt creates a new secret. After a failed
 * attempt the earlier one is unused, unless the mail server did accept that mail.
 */
export async function writeMail(
  { store, config }: { store: Store; config: Config },
  row: QueuedMail,
): Promise<Mail | undefined> {
  const { organizationId, kind } = row
  return store.tenant(organizationId, async (tenant) => {
    const baseUrl = config.baseUrl ?? config.apiUrl
    const organizationName = await nameOfOrganization(tenant)
    const place = { tenant, row, baseUrl, organizationName }
    const written =
      kind === 'address_changed' ? toOldAddress(place) : await toPerson(place, writers[kind])
    if (!written || written.to === null) return undefined
    const { to, letter } = written
    return { to, ...letter, messageId: messageId(row, config.mailFrom) }
  })
}

type Written = { to: string | null; letter: Letter } | undefined

/** Sent to the old address, also if the person is no longer active. */
function toOldAddress({ row, organizationName }: Place): Written {
  // The kind determines the type of `detail` (store/mails/mails.ts).
  const detail = row.detail as MailDetail['address_changed']
  return { to: detail.from, letter: addressChangedLetter({ organizationName, ...detail }) }
}

/** Undefined for a person who is not active, or for a dropped mail. */
async function toPerson(place: Place, write: Writer): Promise<Written> {
  const { tenant, row } = place
  const { userId } = row
  // Locks the person. Otherwise a link could be created after a concurrent change revoked all links.
  const held = await holdPerson(tenant, userId)
  if (!held || !(await mails(tenant).isOpen(row.id))) return undefined
  return write({ ...place, person: await users(tenant).get(userId) })
}

type Writer = (place: PlaceOfPerson) => Promise<Written>

const writers: Record<Exclude<QueuedMail['kind'], 'address_changed'>, Writer> = {
  async invitation({ tenant, row, person, baseUrl, organizationName }) {
    // As above.
    const { inviter } = row.detail as MailDetail['invitation']
    const token = await newLink(tenant, row, 'invitation')
    return {
      to: person.email,
      letter: invitationLetter({ baseUrl, organizationName, inviter, token }),
    }
  },

  async password_reset({ tenant, row, person, baseUrl, organizationName }) {
    const token = await newLink(tenant, row, 'password_reset')
    const about = { baseUrl, organizationName, token, minutes: resetMinutes }
    return { to: person.email, letter: passwordResetLetter(about) }
  },

  async second_factor_removed({ row, person, baseUrl, organizationName }) {
    // As above.
    const { removedBy } = row.detail as MailDetail['second_factor_removed']
    const about = { baseUrl, organizationName, removedBy }
    return { to: person.email, letter: secondFactorRemovedLetter(about) }
  },

  approval_waiting: writeApproval,

  async run_commented({ tenant, row, person, baseUrl, organizationName }) {
    // As above.
    const { commentId } = row.detail as MailDetail['run_commented']
    const letter = await writeCommentMail(tenant, { commentId, baseUrl, organizationName })
    return letter && { to: person.email, letter }
  },

  cloud_account_unwell: writeHealth,
  cloud_account_well: writeHealth,
  notice: writeNotice,
  notice_digest: writeNoticeDigest,
  notification_failing: writeNotificationFailing,
  notification_disabled: writeNotificationDisabled,

  async certificate_expiring({ tenant, row, person, baseUrl, organizationName }) {
    // As above.
    const { fingerprint } = row.detail as MailDetail['certificate_expiring']
    if (!hasCapability(person, 'manage_users_sso')) return undefined
    const configurations = samlConfigurations(tenant)
    const configuration = await configurations.find()
    const certificates = await configurations.certificates()
    const found = certificates.find((one) => one.fingerprint === fingerprint)
    // The certificate was replaced, or SAML was disabled.
    if (!found || !configuration?.enabled) return undefined
    const letter = certificateExpiringLetter({
      baseUrl,
      organizationName,
      idpEntityId: configuration.idpEntityId,
      fingerprint,
      notAfter: found.notAfter,
      isLast: !certificates.some(({ notAfter }) => notAfter > found.notAfter),
      now: new Date(),
    })
    return { to: person.email, letter }
  },
}

/** A mail to one possible approver; undefined if the run no longer waits for that approval. */
async function writeApproval(place: PlaceOfPerson): Promise<Written> {
  const { tenant, row, person, baseUrl, organizationName } = place
  // The kind determines the type of `detail` (store/mails/mails.ts).
  const { stage } = row.detail as MailDetail['approval_waiting']
  const { applicationRunId: runId } = row
  if (runId !== null) {
    const about = { runId, stage, personId: person.id, baseUrl, organizationName }
    const letter = await writeReleaseMail(tenant, about)
    return letter && { to: person.email, letter }
  }
  const phase = /^plan\b/.test(stage ?? '') ? 'awaiting_plan_approval' : 'awaiting_approval'
  const { workspaceRunId } = row
  const run = await workspaceRuns(tenant).get(workspaceRunId ?? 0)
  if (run.phase !== phase) return undefined
  if (!(await approvers(tenant).isAble(run.id, person.id))) return undefined
  const workspace = await workspaces(tenant).get(run.workspaceId)
  const [author] =
    run.authorUserId === null ? [] : await users(tenant).listByIds([run.authorUserId])
  const letter = approvalWaitingLetter({
    runUrl: `${baseUrl}/workspaces/${run.workspaceId}/runs/${run.id}`,
    organizationName,
    workspaceName: workspace.name,
    author: author
      ? author.name || (author.email ?? '')
      : run.origin === 'person'
        ? 'somebody who has left'
        : originInWords[run.origin],
    destroy: run.destroy,
    beforePlan: phase === 'awaiting_plan_approval',
    onlyConfirm: phase === 'awaiting_approval' && approvalRuleOf(run.approvalReasons) === 'confirm',
    // Written by activities/infrastructure/record-plan.ts.
    summary: run.summary as PlanSummary | null,
    cost: run.cost as PresentedCost | null,
    budgets: run.approvalReasons.includes('budget')
      ? budgetFindingsOf(run.gates).map(({ message }) => message)
      : [],
    waitsUntil: run.approvalExpiresAt,
  })
  return { to: person.email, letter }
}

/** Undefined if the account is no longer as the mail says. */
async function writeHealth(place: PlaceOfPerson): Promise<Written> {
  const { tenant, row, person, baseUrl, organizationName } = place
  // The kind determines the type of `detail` (store/mails/mails.ts).
  const { cloudAccountId } = row.detail as MailDetail['cloud_account_unwell']
  if (!hasCapability(person, 'manage_cloud_accounts')) return undefined
  const account = await syncPlans(tenant).findForUpdate(cloudAccountId)
  const isWell = row.kind === 'cloud_account_well'
  if (!account || (account.status === 'healthy') !== isWell) return undefined
  const about = {
    baseUrl,
    organizationName,
    accountName: account.name,
    account: `${account.provider} ${account.accountId}`,
  }
  const letter = isWell
    ? cloudAccountWellLetter(about)
    : cloudAccountUnwellLetter({ ...about, reason: account.statusReason })
  return { to: person.email, letter }
}

async function newLink(
  tenant: Tenant,
  { userId }: QueuedMail,
  purpose: 'invitation' | 'password_reset',
): Promise<string> {
  const link = newSecret()
  const lifetime = purpose === 'invitation' ? { hours: invitationHours } : { minutes: resetMinutes }
  await userTokens(tenant).create(userId, purpose, { hash: link.hash, ...lifetime })
  return link.plain
}

/** A Message-ID in the sender's domain: spam filters rate another domain as suspicious. */
function messageId({ publicId }: QueuedMail, mailFrom: string): string {
  const [, domain = 'localhost'] = /@([\w.-]+)>?\s*$/.exec(mailFrom) ?? []
  return `<${publicId}@${domain}>`
}
