/** What happened, after the name of who did it. `{}` is the target. */
export const eventWords: Readonly<Record<string, string>> = {
  'agent.created': 'created the agent {}',
  'agent.deleted': 'deleted the agent {}',
  'agent.enrolled': 'enrolled the agent {}',
  'agent.lease_lost': 'lost contact with the agent {} in a deployment',
  'agent.release_refused': 'reported that the agent {} refused a release',
  'agent.token_rotated': 'replaced the token of the agent {}',
  'agent.updated': 'changed the agent {}',
  'auth.invitation_accepted': 'accepted the invitation',
  'auth.login': 'signed in',
  'auth.login_failed': 'failed to sign in',
  'auth.logout': 'signed out',
  'auth.mfa_disabled': 'turned off the second factor',
  'auth.mfa_enabled': 'turned on the second factor',
  'auth.mfa_enrolled': 'began to set up a second factor',
  'auth.mfa_failed': 'entered a wrong code of the second factor',
  'auth.password_changed': 'changed the password',
  'auth.password_reset': 'reset the password',
  'auth.password_reset_requested': 'asked to reset the password',
  'auth.recovery_code_used': 'signed in with a recovery code',
  'auth.session_revoked': 'ended a session',
  'auth.token_created': 'created the token {}',
  'auth.token_revoked': 'revoked the token {}',
  'cloud.account_connected': 'connected the cloud account {}',
  'cloud.account_disconnected': 'disconnected the cloud account {}',
  'cloud.account_status_changed': 'noted a new status of the cloud account {}',
  'cloud.account_synced': 'listed the resources of the cloud account {}',
  'cloud.account_updated': 'changed the cloud account {}',
  'cloud.account_validated': 'checked the cloud account {}',
  'cloud.issuer_key_rotated': 'rotated the key of the issuer',
  'cloud.rbac_denied': 'was refused an action on {}',
  'cloud.run_credentials_issued': 'lent cloud credentials to {}',
  'cloud.sync_requested': 'asked to list the resources of {}',
  'finops.anomaly_decided': 'decided on the anomaly {}',
  'finops.anomaly_taken_back': 'took back the anomaly {}',
  'finops.bill_uploaded': 'uploaded a bill to {}',
  'finops.budget_created': 'created the budget {}',
  'finops.budget_deleted': 'deleted the budget {}',
  'finops.budget_updated': 'changed the budget {}',
  'finops.ingest_requested': 'asked to load bills',
  'finops.ingested': 'loaded bills',
  'finops.price_created': 'added the price {}',
  'finops.price_deleted': 'deleted the price {}',
  'finops.price_updated': 'changed the price {}',
  'finops.prices_learned': 'learned prices from bills',
  'finops.rate_deleted': 'deleted the exchange rate {}',
  'finops.rate_set': 'set the exchange rate {}',
  'finops.slice_accepted': 'accepted the bill {}',
  'finops.slice_discarded': 'discarded the bill {}',
  'finops.slice_loaded': 'loaded the bill {}',
  'finops.slice_suspect': 'held back the bill {}, which is much smaller than before',
  'finops.source_removed': 'removed the source of bills {}',
  'finops.unit_created': 'created the unit {}',
  'finops.unit_deleted': 'deleted the unit {}',
  'finops.unit_updated': 'changed the unit {}',
  'finops.unit_values_set': 'set values of the unit {}',
  'git.connection_created': 'connected the repository {}',
  'git.connection_default_set': 'chose the default of {}',
  'git.connection_disconnected': 'disconnected the repository {}',
  'git.connection_validated': 'checked the repository {}',
  'git.divergence_resolved': 'decided on the changed files of {}',
  'git.push_refused': 'refused a push to {}',
  'git.repo_pruned': 'removed the files of {} from its repository',
  'git.repo_write_failed': 'failed to write the files of {} to its repository',
  'git.repo_written': 'wrote the files of {} to its repository',
  'notification.created': 'created the notification {}',
  'notification.deleted': 'deleted the notification {}',
  'notification.secret_rotated': 'made a new secret of the notification {}',
  'notification.tested': 'tested the notification {}',
  'notification.updated': 'changed the notification {}',
  'org.created': 'created the organization {}',
  'org.group_mapped': 'mapped the group {}',
  'org.group_unmapped': 'removed the mapping of the group {}',
  'org.invitation_shown': 'took the invitation link of {}',
  'org.ownership_transferred': 'transferred the organization to {}',
  'org.resumed': 'resumed the organization {}',
  'org.signing_key_created': 'made the first signing key of the organization',
  'org.signing_key_rotated': 'replaced the signing key of the organization',
  'org.settings_updated': 'changed the settings of the organization',
  'org.sso_updated': 'changed whether single sign-on is required',
  'org.suspended': 'suspended the organization {}',
  'org.user_deleted': 'deleted {}',
  'org.user_invited': 'invited {}',
  'org.user_mfa_removed': 'removed the second factor of {}',
  'org.user_updated': 'changed {}',
  'pipeline.artifact_damaged': 'found other bytes in place of the artifact of {}',
  'pipeline.artifact_downloaded': 'downloaded the artifact of {}',
  'pipeline.artifact_stored': 'stored the artifact of {}',
  'pipeline.artifacts_swept': 'removed artifacts that were too old',
  'pipeline.awaiting_approval': 'asked for an approval of {}',
  'pipeline.awaiting_plan_approval': 'asked for an approval of the files of {}',
  'pipeline.cancel_requested': 'asked to cancel {}',
  'pipeline.created': 'created the pipeline {}',
  'pipeline.deleted': 'deleted the pipeline {}',
  'pipeline.denied': 'was refused an action on {}',
  'pipeline.deploy_started': 'began to deploy {}',
  'pipeline.gates_rechecked': 'checked {} again',
  'pipeline.release_refused': 'refused the release of {}: it is not what was signed',
  'pipeline.rolled_back': 'went back to an earlier release with {}',
  'pipeline.run_approved': 'approved {}',
  'pipeline.run_commented': 'commented on {}',
  'pipeline.run_canceled': 'canceled {}',
  'pipeline.run_failed': 'ended {} as failed',
  'pipeline.run_rejected': 'rejected {}',
  'pipeline.run_started': 'started {}',
  'pipeline.run_succeeded': 'ended {} as succeeded',
  'pipeline.target_removed': 'removed the workspace of the pipeline {}',
  'pipeline.updated': 'changed the pipeline {}',
  'pipeline.variable_created': 'created a variable of the pipeline {}',
  'pipeline.variable_deleted': 'deleted a variable of the pipeline {}',
  'pipeline.variable_updated': 'changed a variable of the pipeline {}',
  'policy.created': 'created the policy {}',
  'policy.deleted': 'deleted the policy {}',
  'policy.updated': 'changed the policy {}',
  'saml.configured': 'configured the identity provider {}',
  'saml.disabled': 'disabled the identity provider {}',
  'saml.domain_proof_lost': 'lost the proof of the domain {}',
  'saml.domain_proved': 'proved the domain {}',
  'saml.enabled': 'enabled the identity provider {}',
  'saml.login_failed': 'failed to sign in by single sign-on',
  'saml.logout': 'signed out by single sign-on',
  'saml.logout_completed': 'signed out at the identity provider',
  'saml.logout_failed': 'failed to sign out at the identity provider',
  'saml.logout_partial': 'signed out at a part of the identity provider',
  'saml.logout_refused': 'was refused a sign-out by single sign-on',
  'saml.role_changed': 'changed the role of {}',
  'saml.user_created': 'created the account of {}',
  'scim.group_created': 'created the group {}',
  'scim.group_deleted': 'deleted the group {}',
  'scim.group_updated': 'changed the group {}',
  'scim.token_created': 'created the SCIM token {}',
  'scim.token_revoked': 'revoked the SCIM token {}',
  'scim.user_created': 'created the account of {}',
  'scim.user_deactivated': 'deactivated {}',
  'scim.user_deleted': 'deleted {}',
  'scim.user_reactivated': 'reactivated {}',
  'scim.user_updated': 'changed {}',
  'workspace.configuration_updated': 'saved new files of {}',
  'workspace.created': 'created the workspace {}',
  'workspace.deleted': 'deleted the workspace {}',
  'workspace.denied': 'was refused an action on {}',
  'workspace.locked': 'locked {}',
  'workspace.state_quarantined': 'put a state of {} aside',
  'workspace.state_restored': 'restored the state of {}',
  'workspace.state_written': 'wrote the state of {}',
  'workspace.unlocked': 'unlocked {}',
  'workspace.updated': 'changed the workspace {}',
  'workspace.variable_created': 'created a variable of {}',
  'workspace.variable_deleted': 'deleted a variable of {}',
  'workspace.variable_updated': 'changed a variable of {}',
  'workspace.view_removed': 'stopped sharing the view {}',
  'workspace.view_shared': 'shared the view {} of workspaces',
}

/** The parts of the sentence before and after the target. Without `after` it names no target. */
export function sentenceOf(event: string): { before: string; after?: string } {
  // An event of a newer service.
  const words = eventWords[event] ?? `${event.replaceAll(/[._]/g, ' ')} {}`
  const [before = '', after] = words.split('{}')
  return after === undefined ? { before } : { before, after }
}

type Entry = {
  event: string
  outcome: 'success' | 'failure' | 'denied'
  actor: { label: string }
  target: { label: string | null } | null
  detail: unknown
  count?: number
}

/** As `sentenceOf`, with who did it. What the entry says beside its event is part of it. */
export function sentenceOfEntry(
  entry: Pick<Entry, 'event' | 'actor' | 'target' | 'detail'>,
): ReturnType<typeof sentenceOf> & { who: string } {
  const { event, actor, target } = entry
  // Nobody is signed in, so the actor is named as a part of the service.
  if (event === 'auth.login_failed') {
    const { before } = sentenceOf(event)
    const as = { before: `${before} as `, after: '' }
    return { who: 'Somebody', ...(target?.label != null ? as : { before }) }
  }
  if (isRejection(entry)) return { who: actor.label, before: 'ended ', after: ' as rejected' }
  return { who: actor.label, ...sentenceOf(event) }
}

/** That it failed or was refused, and how often, where the sentence does not say it. */
export function outcomeWords(entry: Omit<Entry, 'actor' | 'target'>): string | undefined {
  const { event, outcome, count = 1 } = entry
  if (outcome === 'success' || isRejection(entry)) return undefined
  const isSaid = outcome === 'failure' && sentenceOf(event).before.startsWith('failed to ')
  const word = isSaid ? '' : outcome === 'denied' ? 'refused' : 'failed'
  return `${word}${count > 1 ? ` × ${count}` : ''}`.trim() || undefined
}

/** A run that a person rejected. The service records it as a failure, which it is not for its reader. */
const isRejection = ({ event, detail }: Pick<Entry, 'event' | 'detail'>): boolean =>
  event === 'pipeline.run_failed' &&
  typeof detail === 'object' &&
  detail !== null &&
  'reason' in detail &&
  detail.reason === 'rejected'
