import { own } from '../infrastructure/record.ts'

/**
 * Whether objects of this type are settings of a resource, and no resource: in `arn` or `id` they have the id of what
 * they belong to. Such an object holds nothing. Otherwise a workspace that only sets the policy of another
 * workspace's topic would own the topic and its cost.
 *
 * The types are listed, for their names do not tell: `aws_iam_policy` and `aws_lambda_layer_version` are resources.
 * Each is listed because its provider's documentation says that the id is the other resource's.
 */
export const isSetting = (type: string): boolean =>
  listed.has(type) || ofManyParents.some((pattern) => pattern.test(type))

/**
 * Whether this object has the id of the resource that it is set for, as policies of AWS have: whatever its type, it is a
 * setting.
 */
export function hasIdOfParent(type: string, attributes: unknown): boolean {
  const id = own(attributes, 'id')
  if (!type.startsWith('aws_') || typeof id !== 'string') return false
  return id === own(attributes, 'resource_arn') || id === own(attributes, 'sink_identifier')
}

/** Of these endings every type of the provider has its parent's id. */
const ofManyParents = [
  /^azurerm_subnet_[a-z_]+_association$/,
  /^azurerm_[a-z_]+_customer_managed_key$/,
  /^azurerm_api_management_([a-z_]+_)?policy$/,
  /^google_[a-z0-9_]+_iam_policy$/,
]

const typesOf = (provider: string, names: string): string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `${provider}_${name}`)

const listed = new Set([
  ...typesOf(
    'aws',
    `acmpca_certificate_authority_certificate acmpca_policy
    cloudwatch_event_target codeartifact_domain_permissions_policy
    codeartifact_repository_permissions_policy codebuild_resource_policy
    dynamodb_resource_policy ebs_default_kms_key kinesis_resource_policy
    lakeformation_resource lambda_function_event_invoke_config lambda_function_url
    msk_cluster_policy msk_scram_secret_association
    networkfirewall_logging_configuration networkfirewall_resource_policy oam_sink_policy
    ram_resource_share_accepter rds_cluster_activity_stream
    redshift_resource_policy redshiftserverless_resource_policy
    s3control_bucket_lifecycle_configuration s3control_bucket_policy
    secretsmanager_secret_policy secretsmanager_secret_rotation secretsmanager_secret_version
    ses_domain_identity_verification
    sns_topic_data_protection_policy sns_topic_policy
    vpclattice_auth_policy vpclattice_resource_policy
    wafv2_web_acl_logging_configuration`,
  ),
  ...typesOf(
    'azurerm',
    `app_service_source_control app_service_source_control_slot
    container_app_environment_custom_domain eventgrid_partner_configuration
    function_app_active_slot iotcentral_application_network_rule_set iothub_file_upload
    kubernetes_cluster_deployment_safeguard managed_disk_sas_token managed_redis_geo_replication
    netapp_account_encryption security_center_storage_defender
    signalr_service_network_acl spring_cloud_active_deployment
    storage_account_network_rules storage_account_queue_properties
    storage_account_static_website storage_account_table_properties
    storage_blob_inventory_policy stream_analytics_job_storage_account
    web_app_active_slot web_pubsub_network_acl`,
  ),
  ...typesOf('azapi', 'update_resource'),
  ...typesOf(
    'google',
    `bigquery_dataset_access compute_backend_bucket_signed_url_key
    compute_backend_service_signed_url_key`,
  ),
])
