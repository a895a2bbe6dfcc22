import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker'

const silent = () => undefined

/** Bundles the workflows into the code that the SDK runs in an isolate. */
export async function bundleWorkflows(): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
    logger: {
      log: silent,
      trace: silent,
      debug: silent,
      info: silent,
      warn: silent,
      error: silent,
    },
  })
}
