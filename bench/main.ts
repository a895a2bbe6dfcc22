import { agentSuite } from './agent.ts'
import { anomaliesSuite } from './anomalies.ts'
import { apiSuite } from './api.ts'
import { clicksSuite } from './clicks.ts'
import { consoleSuite } from './console/console.ts'
import { costSuite } from './cost.ts'
import { copiesSuite } from './copies.ts'
import { deploySuite } from './deploy.ts'
import { deployKillsSuite } from './deploy-kills.ts'
import { hostileSuite } from './hostile.ts'
import { hydrateSuite } from './hydrate.ts'
import { ingestSuite } from './ingest.ts'
import { workspacesSuite } from './listed-workspaces.ts'
import { manifestSuite } from './manifest.ts'
import { pricesSuite } from './prices.ts'
import { resourcesSuite } from './resources.ts'
import { runSuite } from './run.ts'
import { runsSuite } from './runs.ts'
import { samlSuite } from './saml.ts'
import { scimSuite } from './scim.ts'
import { statesSuite } from './states.ts'
import { syncSuite } from './sync.ts'
import { timingSuite } from './timing.ts'
import { unchangedSuite } from './unchanged.ts'

/** `npm run bench -- <suite>`: measures on its own engines and prints a table. */
const suites: Record<string, { about: string; run: () => Promise<boolean> }> = {
  agent: {
    about:
      'the deploy agent: its memory, its CPU time when idle, its time beside hooks, and unpacking beside zstd and tar',
    run: agentSuite,
  },
  anomalies: {
    about:
      'the detector of cost anomalies and the forecast on held-out series, beside the rules of others, and totals and tags of made organizations',
    run: anomaliesSuite,
  },
  clicks: {
    about:
      'how fast the page of cost answers clicks, keys and moves in Chromium, with a year of 50 services',
    run: clicksSuite,
  },
  console: {
    about:
      'Lighthouse on sign-in, Home and a waiting run, and how fast pages open and answer with 5,000 workspaces, a plan of 5,000 resources and its log',
    run: consoleSuite,
  },
  copies: {
    about: 'CPU time of requests of other working copies (BENCH_COPIES) beside this one',
    run: copiesSuite,
  },
  cost: {
    about:
      'payload and series of a year of 10,000,000 charges beside 100,000, and the export beside COPY',
    run: costSuite,
  },
  deploy: {
    about:
      'what an application pipeline costs: source, build, artifact, bucket, agents, rollout, claims, log lines',
    run: deploySuite,
  },
  'deploy-kills': {
    about:
      'deployments to ten agents, each with a kill -9 of the API, the worker, PostgreSQL, Temporal, an agent or a hook',
    run: deployKillsSuite,
  },
  hostile: {
    about:
      'a quiet tenant beside the giant inputs of a hostile one: answers, runs, event loops, memory',
    run: hostileSuite,
  },
  hydrate: {
    about:
      '1,000 files into a repository of each Git provider: commits, calls, and time beside a bare client',
    run: hydrateSuite,
  },
  ingest: {
    about:
      'a bill of 1,000,000 lines to charges at day grain, beside DuckDB’s own grouping and COPY',
    run: ingestSuite,
  },
  manifest: {
    about: 'a check of a manifest of 1,000 lines beside bare yaml, and of hostile ones',
    run: manifestSuite,
  },
  prices: {
    about:
      'prices learned from the bill of 100,000 resources, and a plan of as many by those prices',
    run: pricesSuite,
  },
  resources: {
    about: 'every filter of the list of cloud resources on 1,000,000 resources beside 10,000',
    run: resourcesSuite,
  },
  run: {
    about: 'a run from POST to its end beside bare OpenTofu, then 200 runs over 50 workspaces',
    run: runSuite,
  },
  runs: {
    about: 'every filter of the list of runs over all workspaces, on 100,000 runs',
    run: runsSuite,
  },
  saml: {
    about: 'a login at the ACS beside the bare library, forged responses, 1,000 groups',
    run: samlSuite,
  },
  scim: {
    about: 'creations, one member of 100,000, look-ups, and a first sync of an identity provider',
    run: scimSuite,
  },
  states: {
    about: 'a state of 10,000 resources stored with its resources noted, beside without',
    run: statesSuite,
  },
  sync: {
    about:
      'a sync of 100,000 cloud resources beside the bare client, its memory, and an unchanged one',
    run: syncSuite,
  },
  timing: {
    about: 'whether the time of an answer tells if an address exists',
    run: timingSuite,
  },
  unchanged: {
    about: 'an ingest of an account in moto whose bills have not changed',
    run: unchangedSuite,
  },
  workspaces: {
    about: 'every order and filter of the list of workspaces, on 5,000 workspaces',
    run: workspacesSuite,
  },
  api: {
    about: 'requests/s beside bare Fastify and pg, and lists on 1,000,000 runs beside 10,000',
    run: apiSuite,
  },
}

const [name = ''] = process.argv.slice(2)
const suite = suites[name]
if (suite) {
  // Exits explicitly, so that an open socket or timer does not keep a finished bench running.
  process.exit((await suite.run()) ? 0 : 1)
} else {
  console.log('npm run bench -- <suite>, where <suite> is one of')
  for (const [key, { about }] of Object.entries(suites)) console.log(`  ${key}  ${about}`)
  console.log(
    'Fewer rounds for a quick look: BENCH_ROUNDS=5 BENCH_WARM_UP=1 BENCH_DRAIN=0 BENCH_SCALE=0.02',
  )
  process.exitCode = 2
}
