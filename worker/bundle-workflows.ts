import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker'

const silent = () => undefined

/** Bundles the workflows into the file that their isolate loads, with the SDK version that runs it. */
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
