/** All that a worker loads into the workflows' isolate. */
export { infrastructureRun } from './infrastructure/infrastructure-run.ts'
export { checkGitConnections } from './git/check-git-connections.ts'
export { hydrateWorkspace } from './git/hydrate-workspace.ts'
export { initializeRepository } from './git/initialize-repository.ts'
export { registerWebhook } from './git/register-webhook.ts'
export { takeDelivery } from './git/take-delivery.ts'
export { writePullRequestComment } from './git/write-pull-request-comment.ts'
export { reconcile } from './platform/reconcile.ts'
