import type { Knex } from 'knex'
import type { SealHead } from '../domain/audit/chain-head.ts'
import { ensureRoles } from './ensure-roles.ts'
import * as organizationsAndPeople from './migrations/0001-add-organizations-and-people.ts'
import * as auditAndOutbox from './migrations/0002-add-audit-and-outbox.ts'
import * as workspaces from './migrations/0003-add-workspaces.ts'
import * as pipelinesAndRuns from './migrations/0004-add-pipelines-and-runs.ts'
import * as secondFactor from './migrations/0005-add-second-factor.ts'
import * as groupMappings from './migrations/0006-add-group-mappings.ts'
import * as requestCounts from './migrations/0007-add-request-counts.ts'
import * as saml from './migrations/0008-add-saml.ts'
import * as scim from './migrations/0009-add-scim.ts'
import * as gitConnections from './migrations/0010-add-git-connections.ts'
import * as auditHeads from './migrations/0011-add-audit-heads.ts'
import * as mails from './migrations/0012-add-mails.ts'
import * as sourcesOfApplications from './migrations/0013-add-sources-of-applications.ts'
import * as certificateMails from './migrations/0014-add-certificate-mails.ts'
import * as peopleByAddress from './migrations/0015-find-people-by-address.ts'
import * as gitWebhooks from './migrations/0016-add-git-webhooks.ts'
import * as failedConnections from './migrations/0018-ask-failed-connections-again.ts'
import * as modulesOfPlans from './migrations/0019-keep-modules-of-plans.ts'
import * as planParts from './migrations/0021-add-plan-parts.ts'
import * as attemptsOfPlanChanges from './migrations/0022-add-attempts-of-plan-changes.ts'
import * as newestRuns from './migrations/0020-add-newest-runs.ts'
import * as planChanges from './migrations/0024-add-plan-changes.ts'
import * as stateParts from './migrations/0025-add-state-parts.ts'
import * as phasesOfVariables from './migrations/0027-add-phases-of-variables.ts'
import * as personMakers from './migrations/0029-add-person-makers.ts'
import * as planApprovals from './migrations/0030-add-plan-approvals.ts'
import * as editorsOfIdentityProviders from './migrations/0033-hold-identity-providers-to-their-editor.ts'
import * as stateGenerations from './migrations/0036-add-state-generations.ts'
import * as triesInFlight from './migrations/0041-count-tries-in-flight.ts'
import * as waitsForSlot from './migrations/0042-note-waits-for-a-slot.ts'
import * as notifications from './migrations/0066-add-notifications.ts'
import * as looksAtBills from './migrations/0067-forget-looks-at-bills.ts'
import * as tellOfBills from './migrations/0068-tell-of-bills.ts'
import * as namesOfResources from './migrations/0069-name-resources-alike.ts'
import * as resourcesOfBills from './migrations/0070-add-resources-of-bills.ts'
import * as cloudAccounts from './migrations/0043-add-cloud-accounts.ts'
import * as mailKinds from './migrations/0048-drop-check-of-mail-kinds.ts'
import * as issuerKeys from './migrations/0044-add-issuer-keys.ts'
import * as originsOfRuns from './migrations/0047-add-origins-of-runs.ts'
import * as shownDifferences from './migrations/0039-add-shown-differences.ts'
import * as workspaceResources from './migrations/0046-add-workspace-resources.ts'
import * as cloudResources from './migrations/0045-add-cloud-resources.ts'
import * as toldHealth from './migrations/0050-note-told-health.ts'
import * as coverageOfPlaces from './migrations/0051-note-coverage-of-places.ts'
import * as forgottenAccounts from './migrations/0054-forget-accounts-later.ts'
import * as stagedResources from './migrations/0055-count-staged-resources.ts'
import * as countsOfResources from './migrations/0058-keep-counts-of-resources.ts'
import * as readableTypes from './migrations/0059-note-readable-types.ts'
import * as resourceTerms from './migrations/0056-index-terms-of-resources.ts'
import * as bills from './migrations/0060-add-bills.ts'
import * as charges from './migrations/0061-add-charges.ts'
import * as costByMonth from './migrations/0063-add-cost-by-month.ts'
import * as unknownSavings from './migrations/0078-add-unknown-savings.ts'
import * as referenceRates from './migrations/0073-add-reference-rates.ts'
import * as commitments from './migrations/0074-add-commitments.ts'
import * as costUnits from './migrations/0075-add-units.ts'
import * as confirmations from './migrations/0080-confirm-plans.ts'
import * as applicationRuns from './migrations/0090-add-application-runs.ts'
import * as artifacts from './migrations/0091-add-artifacts.ts'
import * as listedWorkspaces from './migrations/0095-index-listed-workspaces.ts'
import * as wordsOfCommits from './migrations/0096-keep-words-of-commits.ts'
import * as describedVariables from './migrations/0101-describe-variables.ts'
import * as settingsOfApplications from './migrations/0120-add-settings-of-applications.ts'
import * as pushesOfApplications from './migrations/0121-tell-applications-of-pushes.ts'
import * as buildCaches from './migrations/0122-keep-build-caches.ts'
import * as writtenParts from './migrations/0127-write-listed-resources.ts'
import * as answersOfProbes from './migrations/0136-note-answers-of-probes.ts'
import * as runComments from './migrations/0137-add-run-comments.ts'
import * as workspaceViews from './migrations/0138-add-workspace-views.ts'
import * as outcomesApart from './migrations/0139-tell-outcomes-apart.ts'
import * as toldLines from './migrations/0140-find-told-lines.ts'
import * as recentCostOfResources from './migrations/0141-keep-recent-cost-of-resources.ts'
import * as unbrokenHoldings from './migrations/0142-note-unbroken-holdings.ts'
import * as orderedHolders from './migrations/0143-order-holders.ts'
import * as orderedWebhooks from './migrations/0145-order-git-webhooks.ts'
import * as orderedDeployments from './migrations/0146-order-deployments.ts'
import * as listedApplicationRuns from './migrations/0147-list-application-runs.ts'
import * as fairMails from './migrations/0148-mail-fairly.ts'
import * as wordedStartsOfRuns from './migrations/0149-word-starts-of-runs.ts'
import * as readTagsAgain from './migrations/0150-read-tags-again.ts'
import * as whoWroteOverrides from './migrations/0151-who-wrote-overrides.ts'
import * as sinceWhenListed from './migrations/0155-since-when-listed.ts'
import * as holdersByOtherIds from './migrations/0156-find-holders-by-other-ids.ts'
import * as fairOutbox from './migrations/0157-deliver-fairly.ts'
import * as writersOfEarlierReruns from './migrations/0158-writers-of-earlier-reruns.ts'
import * as anomaliesAsShown from './migrations/0159-order-anomalies-as-shown.ts'
import * as labelsOfDeployments from './migrations/0160-labels-of-deployments.ts'
import * as appliesFound from './migrations/0161-find-applies.ts'
import * as lateTries from './migrations/0162-count-late-tries.ts'
import * as hooksOfReleases from './migrations/0135-keep-hooks-of-releases.ts'
import * as termsOfBytes from './migrations/0128-hash-terms-of-bytes.ts'
import * as signedOrders from './migrations/0129-sign-orders.ts'
import * as sealedBuilds from './migrations/0130-seal-what-was-built.ts'
import * as partsOfChanges from './migrations/0131-note-parts-of-changes.ts'
import * as mixedHosts from './migrations/0132-warn-of-mixed-hosts.ts'
import * as shownInvitations from './migrations/0133-note-shown-invitations.ts'
import * as waitsOfBuilds from './migrations/0099-note-waits-of-builds.ts'
import * as agents from './migrations/0110-add-agents.ts'
import * as hostsCatchUp from './migrations/0111-catch-hosts-up.ts'
import * as signedArtifacts from './migrations/0117-sign-artifacts.ts'
import * as artifactProbes from './migrations/0118-probe-artifact-stores.ts'
import * as deployedReleases from './migrations/0114-deploy-releases.ts'
import * as labels from './migrations/0124-add-labels.ts'
import * as historyOfRuns from './migrations/0125-index-history-of-runs.ts'
import * as lowerCommitments from './migrations/0083-lower-commitments-of-azure.ts'
import * as servicesOfSubAccounts from './migrations/0085-find-services-of-sub-accounts.ts'
import * as mergedSlices from './migrations/0079-merge-slices.ts'
import * as planIngests from './migrations/0062-plan-ingests.ts'
import * as resourceSearch from './migrations/0057-search-resources-by-terms.ts'
import * as anomalies from './migrations/0064-add-anomalies.ts'
import * as budgets from './migrations/0065-add-budgets.ts'
import * as learnedPrices from './migrations/0071-add-learned-prices.ts'
import * as estimateChecks from './migrations/0072-add-estimate-checks.ts'
import * as confirmedSizes from './migrations/0077-confirm-sizes.ts'
import * as datedConfirmations from './migrations/0081-date-confirmations.ts'
import * as queuedScorings from './migrations/0082-queue-scorings.ts'
import * as scopesOfAnomalies from './migrations/0076-add-scopes-of-anomalies.ts'
import * as indexedRuns from './migrations/0088-index-listed-runs.ts'
import * as saversBehindMappings from './migrations/0163-savers-behind-mappings.ts'
import * as removedPeople from './migrations/0164-find-removed-people.ts'
import * as promotedArtifacts from './migrations/0166-keep-promoted-artifacts.ts'
import * as wantedFigures from './migrations/0167-want-budget-figures.ts'
import * as retiredValues from './migrations/0170-retire-values.ts'
import * as seenPlans from './migrations/0171-bind-seen-plans-to-variables.ts'
import * as sourcesOfBuilds from './migrations/0174-note-sources-of-builds.ts'
import * as approvalsOfOutputs from './migrations/0175-approvals-of-outputs.ts'
import * as blobsOfFiles from './migrations/0176-note-blobs-of-files.ts'

export const migrations: Record<string, { up(knex: Knex, sealHead?: SealHead): Promise<void> }> = {
  '0001-add-organizations-and-people': organizationsAndPeople,
  '0002-add-audit-and-outbox': auditAndOutbox,
  '0003-add-workspaces': workspaces,
  '0004-add-pipelines-and-runs': pipelinesAndRuns,
  '0005-add-second-factor': secondFactor,
  '0006-add-group-mappings': groupMappings,
  '0007-add-request-counts': requestCounts,
  '0008-add-saml': saml,
  '0009-add-scim': scim,
  '0010-add-git-connections': gitConnections,
  '0011-add-audit-heads': auditHeads,
  '0012-add-mails': mails,
  '0013-add-sources-of-applications': sourcesOfApplications,
  '0014-add-certificate-mails': certificateMails,
  '0015-find-people-by-address': peopleByAddress,
  '0016-add-git-webhooks': gitWebhooks,
  '0018-ask-failed-connections-again': failedConnections,
  '0019-keep-modules-of-plans': modulesOfPlans,
  '0020-add-newest-runs': newestRuns,
  '0021-add-plan-parts': planParts,
  '0024-add-plan-changes': planChanges,
  '0025-add-state-parts': stateParts,
  '0027-add-phases-of-variables': phasesOfVariables,
  '0029-add-person-makers': personMakers,
  '0030-add-plan-approvals': planApprovals,
  '0033-hold-identity-providers-to-their-editor': editorsOfIdentityProviders,
  // After the table that it changes.
  '0022-add-attempts-of-plan-changes': attemptsOfPlanChanges,
  '0036-add-state-generations': stateGenerations,
  '0041-count-tries-in-flight': triesInFlight,
  '0042-note-waits-for-a-slot': waitsForSlot,
  '0039-add-shown-differences': shownDifferences,
  '0043-add-cloud-accounts': cloudAccounts,
  '0048-drop-check-of-mail-kinds': mailKinds,
  '0046-add-workspace-resources': workspaceResources,
  '0044-add-issuer-keys': issuerKeys,
  // After the table that its list reads.
  '0045-add-cloud-resources': cloudResources,
  '0047-add-origins-of-runs': originsOfRuns,
  '0050-note-told-health': toldHealth,
  '0051-note-coverage-of-places': coverageOfPlaces,
  '0066-add-notifications': notifications,
  '0054-forget-accounts-later': forgottenAccounts,
  '0055-count-staged-resources': stagedResources,
  '0058-keep-counts-of-resources': countsOfResources,
  '0059-note-readable-types': readableTypes,
  '0056-index-terms-of-resources': resourceTerms,
  '0057-search-resources-by-terms': resourceSearch,
  '0060-add-bills': bills,
  '0061-add-charges': charges,
  '0064-add-anomalies': anomalies,
  '0065-add-budgets': budgets,
  '0062-plan-ingests': planIngests,
  '0063-add-cost-by-month': costByMonth,
  '0067-forget-looks-at-bills': looksAtBills,
  '0068-tell-of-bills': tellOfBills,
  '0073-add-reference-rates': referenceRates,
  '0074-add-commitments': commitments,
  '0075-add-units': costUnits,
  '0078-add-unknown-savings': unknownSavings,
  '0080-confirm-plans': confirmations,
  '0069-name-resources-alike': namesOfResources,
  '0070-add-resources-of-bills': resourcesOfBills,
  '0071-add-learned-prices': learnedPrices,
  '0072-add-estimate-checks': estimateChecks,
  '0077-confirm-sizes': confirmedSizes,
  '0079-merge-slices': mergedSlices,
  '0076-add-scopes-of-anomalies': scopesOfAnomalies,
  '0081-date-confirmations': datedConfirmations,
  '0082-queue-scorings': queuedScorings,
  '0083-lower-commitments-of-azure': lowerCommitments,
  '0085-find-services-of-sub-accounts': servicesOfSubAccounts,
  '0088-index-listed-runs': indexedRuns,
  '0090-add-application-runs': applicationRuns,
  '0091-add-artifacts': artifacts,
  '0095-index-listed-workspaces': listedWorkspaces,
  '0096-keep-words-of-commits': wordsOfCommits,
  '0101-describe-variables': describedVariables,
  '0099-note-waits-of-builds': waitsOfBuilds,
  '0110-add-agents': agents,
  '0111-catch-hosts-up': hostsCatchUp,
  '0114-deploy-releases': deployedReleases,
  '0117-sign-artifacts': signedArtifacts,
  '0118-probe-artifact-stores': artifactProbes,
  '0120-add-settings-of-applications': settingsOfApplications,
  '0121-tell-applications-of-pushes': pushesOfApplications,
  '0122-keep-build-caches': buildCaches,
  '0124-add-labels': labels,
  '0125-index-history-of-runs': historyOfRuns,
  '0127-write-listed-resources': writtenParts,
  '0128-hash-terms-of-bytes': termsOfBytes,
  '0129-sign-orders': signedOrders,
  '0130-seal-what-was-built': sealedBuilds,
  '0131-note-parts-of-changes': partsOfChanges,
  '0132-warn-of-mixed-hosts': mixedHosts,
  '0133-note-shown-invitations': shownInvitations,
  '0135-keep-hooks-of-releases': hooksOfReleases,
  '0136-note-answers-of-probes': answersOfProbes,
  '0137-add-run-comments': runComments,
  '0138-add-workspace-views': workspaceViews,
  '0139-tell-outcomes-apart': outcomesApart,
  '0140-find-told-lines': toldLines,
  '0141-keep-recent-cost-of-resources': recentCostOfResources,
  '0142-note-unbroken-holdings': unbrokenHoldings,
  '0143-order-holders': orderedHolders,
  '0145-order-git-webhooks': orderedWebhooks,
  '0146-order-deployments': orderedDeployments,
  '0147-list-application-runs': listedApplicationRuns,
  '0148-mail-fairly': fairMails,
  '0149-word-starts-of-runs': wordedStartsOfRuns,
  '0150-read-tags-again': readTagsAgain,
  '0151-who-wrote-overrides': whoWroteOverrides,
  '0155-since-when-listed': sinceWhenListed,
  '0156-find-holders-by-other-ids': holdersByOtherIds,
  '0157-deliver-fairly': fairOutbox,
  '0158-writers-of-earlier-reruns': writersOfEarlierReruns,
  '0159-order-anomalies-as-shown': anomaliesAsShown,
  '0160-labels-of-deployments': labelsOfDeployments,
  '0161-find-applies': appliesFound,
  '0162-count-late-tries': lateTries,
  '0163-savers-behind-mappings': saversBehindMappings,
  '0164-find-removed-people': removedPeople,
  '0166-keep-promoted-artifacts': promotedArtifacts,
  '0167-want-budget-figures': wantedFigures,
  '0170-retire-values': retiredValues,
  '0171-bind-seen-plans-to-variables': seenPlans,
  '0174-note-sources-of-builds': sourcesOfBuilds,
  '0175-approvals-of-outputs': approvalsOfOutputs,
  '0176-note-blobs-of-files': blobsOfFiles,
}

/** The key of the advisory lock, arbitrary: of two starts at once, one migrates after the other. */
export const migrationLock = 7_261_994_113

/**
 * Brings the schema to the newest version. Forward only, atomic, safe to call from several
 * processes at once. A store with audit entries sealed before chain heads were sealed needs
 * `sealHead`.
 */
export async function migrate(owner: Knex, sealHead?: SealHead): Promise<void> {
  await owner.transaction(async (trx) => {
    await trx.raw('select pg_advisory_xact_lock(?)', [migrationLock])
    await ensureRoles(trx)
    await trx.raw(`create table if not exists schema_migrations (
      name text primary key, applied_at timestamptz not null default now())`)
    const done = new Set((await trx('schema_migrations').select('name')).map((row) => row.name))
    for (const [name, migration] of Object.entries(migrations)) {
      if (done.has(name)) continue
      await migration.up(trx, sealHead)
      await trx('schema_migrations').insert({ name })
    }
    await trx.raw('grant select on schema_migrations to cc_app, cc_platform')
    // Creates the current partitions before the first row is written, also after months of downtime.
    for (const table of ['audit_entries', 'log_lines'])
      await trx.raw('select ensure_month_partitions(?, 3)', [table])
  })
}
