/** All that a worker loads into the workflows' isolate. */
export { infrastructureRun } from './pipelines/infrastructure-run.ts'
export { reconcile } from './platform/reconcile.ts'
