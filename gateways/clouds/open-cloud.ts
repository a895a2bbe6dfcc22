import type {
  AwsCredentials,
  AzureCredentials,
  GoogleCredentials,
} from '../../domain/clouds/cloud-account.ts'
import type { Cloud, CloudDeps, CloudTarget } from './cloud.ts'

/** The account's gateway. A cloud's client libraries are loaded when its first account is opened. */
export async function openCloud(target: CloudTarget, deps: CloudDeps): Promise<Cloud> {
  // The credentials were checked against the provider when they were stored.
  switch (target.provider) {
    case 'aws': {
      const { openAws } = await import('./aws/open-aws.ts')
      const credentials = target.credentials as AwsCredentials
      return openAws({ ...target, provider: 'aws', credentials }, deps)
    }
    case 'azure': {
      const { openAzure } = await import('./azure/open-azure.ts')
      const credentials = target.credentials as AzureCredentials
      return openAzure({ ...target, provider: 'azure', credentials }, deps)
    }
    default: {
      const { openGoogle } = await import('./google/open-google.ts')
      const credentials = target.credentials as GoogleCredentials
      return openGoogle({ ...target, provider: 'gcp', credentials }, deps)
    }
  }
}
