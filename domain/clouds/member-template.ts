import { rightsOf } from './rights.ts'
import { audienceOf, accountSubject } from './web-identity.ts'

export type MemberFacts = {
  issuer: string
  slug: string
  externalId: string
  /** How a role is assumed (`CC_AWS_IDENTITY`): by the external id where the service has an AWS identity. */
  use: 'federation' | 'role'
}

/** The account that the template is applied in. */
const own = '${AWS::AccountId}'
const audience = audienceOf('aws', '')

/**
 * A CloudFormation template for a StackSet, which makes the role in each member. A token's subject names
 * one account, so each role trusts the token of its own account alone.
 */
export function memberTemplate(facts: MemberFacts): string {
  const isFederated = facts.use === 'federation'
  return JSON.stringify(
    {
      AWSTemplateFormatVersion: '2010-09-09',
      Description: 'Lets cloud-control list the resources of this account.',
      Parameters: {
        RoleName: { Type: 'String', Default: 'cloud-control' },
        ...(!isFederated && { ServiceIdentity: { Type: 'String', Description: identityHint } }),
      },
      Resources: {
        ...(isFederated && { Issuer: issuerOf(facts) }),
        Role: {
          Type: 'AWS::IAM::Role',
          ...(isFederated && { DependsOn: 'Issuer' }),
          Properties: {
            RoleName: { Ref: 'RoleName' },
            AssumeRolePolicyDocument: {
              Version: '2012-10-17',
              Statement: [isFederated ? trustOfIssuer(facts) : trustOfService(facts)],
            },
            Policies: [{ PolicyName: 'cloud-control', PolicyDocument: policy() }],
          },
        },
      },
    },
    undefined,
    2,
  )
}

const identityHint = 'The ARN of the AWS identity of this service.'

const issuerOf = ({ issuer }: MemberFacts) => ({
  Type: 'AWS::IAM::OIDCProvider',
  Properties: { Url: issuer, ClientIdList: [audience] },
})

function trustOfIssuer({ issuer, slug }: MemberFacts) {
  // As IAM names it: without the scheme.
  const name = issuer.replace(/^https?:\/\//, '')
  const provider = `arn:\${AWS::Partition}:iam::${own}:oidc-provider/${name}`
  return {
    Effect: 'Allow',
    Principal: { Federated: { 'Fn::Sub': provider } },
    Action: 'sts:AssumeRoleWithWebIdentity',
    Condition: {
      StringEquals: {
        [`${name}:aud`]: audience,
        [`${name}:sub`]: { 'Fn::Sub': accountSubject(slug, own) },
      },
    },
  }
}

const trustOfService = ({ externalId }: MemberFacts) => ({
  Effect: 'Allow',
  Principal: { AWS: { Ref: 'ServiceIdentity' } },
  Action: 'sts:AssumeRole',
  Condition: { StringEquals: { 'sts:ExternalId': externalId } },
})

/** A member lists no other members, and has no bill of its own. */
const policy = () => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: [...rightsOf('aws', 'identity'), ...rightsOf('aws', 'inventory')].filter(
        (right) => !right.startsWith('organizations:'),
      ),
      Resource: '*',
    },
  ],
})
