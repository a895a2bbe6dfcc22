import { runPhases } from './check-runs.ts'
import { rightsOf } from './rights.ts'
import type { SetupFacts, SetupTexts, SetupUse } from './setup-texts.ts'
import { audienceOf } from './web-identity.ts'

/** What only the person who pastes knows. */
const bucket = 'BUCKET_OF_THE_BILLS'
const servicePrincipal = 'ARN_OF_THE_AWS_IDENTITY_OF_THIS_SERVICE'

export function setupOfAws(facts: SetupFacts): SetupTexts {
  const policy = json(policyOf(facts.use))
  const trust = facts.use === 'keys' ? null : json(trustOf(facts))
  return {
    audience: facts.use === 'federation' ? audience : null,
    policy,
    trustPolicy: trust,
    commands:
      trust === null
        ? commandsForKeys(policy)
        : commandsForRole(facts, { policy, trust }) + commandsForRuns(facts),
    opentofu: trust === null ? tofuForKeys(policy) : tofuForRole(facts, { policy, trust }),
  }
}

const audience = audienceOf('aws', '')
const json = (value: unknown) => JSON.stringify(value, undefined, 2)

/** Lists cannot be limited to resources. Bills can: to one bucket. */
const policyOf = (use: SetupUse) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Sid: 'Inventory',
      Effect: 'Allow',
      Action: [...rightsOf('aws', 'identity'), ...rightsOf('aws', 'inventory')],
      Resource: '*',
    },
    {
      Sid: 'Bills',
      Effect: 'Allow',
      Action: rightsOf('aws', 'billing'),
      Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
    },
    // A session of the user has at most the user's own rights.
    ...(use === 'keys'
      ? [{ Sid: 'Runs', Effect: 'Allow', Action: rightsOf('aws', 'runs'), Resource: '*' }]
      : []),
  ],
})

/** An issuer as IAM names it: without the scheme. */
const nameOf = (issuer: string) => issuer.replace(/^https?:\/\//, '')

function trustOf({ accountId, use, externalId, issuer, subject }: SetupFacts) {
  const name = nameOf(issuer)
  const statement =
    use === 'federation'
      ? {
          Effect: 'Allow',
          Principal: { Federated: `arn:aws:iam::${accountId}:oidc-provider/${name}` },
          Action: 'sts:AssumeRoleWithWebIdentity',
          Condition: { StringEquals: { [`${name}:aud`]: audience, [`${name}:sub`]: subject } },
        }
      : {
          Effect: 'Allow',
          Principal: { AWS: servicePrincipal },
          Action: 'sts:AssumeRole',
          Condition: { StringEquals: { 'sts:ExternalId': externalId } },
        }
  return { Version: '2012-10-17', Statement: [statement] }
}

type Policies = { policy: string; trust: string }

function commandsForRole({ use, issuer }: SetupFacts, { policy, trust }: Policies): string {
  const provider = `aws iam create-open-id-connect-provider --url '${issuer}' --client-id-list '${audience}'\n`
  return `${use === 'federation' ? provider : ''}aws iam create-role --role-name cloud-control --assume-role-policy-document '${trust}'
aws iam put-role-policy --role-name cloud-control --policy-name cloud-control --policy-document '${policy}'
`
}

/** As comments: which rights a run needs is known to the person who pastes. */
function commandsForRuns({ accountId, use, issuer, runSubjects }: SetupFacts): string {
  if (use !== 'federation') return ''
  const name = nameOf(issuer)
  return runPhases
    .map((phase) => {
      const trust = {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Federated: `arn:aws:iam::${accountId}:oidc-provider/${name}` },
            Action: 'sts:AssumeRoleWithWebIdentity',
            Condition: {
              StringEquals: { [`${name}:aud`]: audience },
              StringLike: { [`${name}:sub`]: runSubjects[phase] },
            },
          },
        ],
      }
      return `# A role for runs in their ${phase}, to which you attach the rights: a workspace's name in place of * limits it to that one.
# aws iam create-role --role-name cloud-control-${phase} --assume-role-policy-document '${JSON.stringify(trust)}'
`
    })
    .join('')
}

const commandsForKeys = (policy: string): string =>
  `aws iam create-user --user-name cloud-control
aws iam put-user-policy --user-name cloud-control --policy-name cloud-control --policy-document '${policy}'
aws iam create-access-key --user-name cloud-control
`

function tofuForRole({ use, issuer }: SetupFacts, { policy, trust }: Policies): string {
  const provider = `resource "aws_iam_openid_connect_provider" "cloud_control" {
  url            = "${issuer}"
  client_id_list = ["${audience}"]
}

`
  return `${use === 'federation' ? provider : ''}resource "aws_iam_role" "cloud_control" {
  name               = "cloud-control"
  assume_role_policy = jsonencode(${indented(trust)})
}

resource "aws_iam_role_policy" "cloud_control" {
  name   = "cloud-control"
  role   = aws_iam_role.cloud_control.id
  policy = jsonencode(${indented(policy)})
}

output "role_arn" {
  value = aws_iam_role.cloud_control.arn
}
`
}

const tofuForKeys = (policy: string): string =>
  `resource "aws_iam_user" "cloud_control" {
  name = "cloud-control"
}

resource "aws_iam_user_policy" "cloud_control" {
  name   = "cloud-control"
  user   = aws_iam_user.cloud_control.name
  policy = jsonencode(${indented(policy)})
}

resource "aws_iam_access_key" "cloud_control" {
  user = aws_iam_user.cloud_control.name
}

output "access_key_id" {
  value = aws_iam_access_key.cloud_control.id
}

output "secret_access_key" {
  value     = aws_iam_access_key.cloud_control.secret
  sensitive = true
}
`

/** JSON is HCL too, inside of an argument. */
const indented = (text: string) => text.replaceAll('\n', '\n  ')
