import { bundleWorkflows } from './bundle-workflows.ts'

/** A process of its own for the bundler, whose 100 MB the worker would else keep (see make-workflow-bundle.ts). */
process.stdout.write((await bundleWorkflows()).code)
