/**
 * The OpenTofu type of what an inventory found, and the id by which `import` takes it. One table for
 * each cloud; the id forms are those of the documentation of the providers `hashicorp/aws` 6,
 * `hashicorp/google` 7 and `hashicorp/azurerm` 4.
 */
export type ImportRule = { type: string; id: string }

/** The parts of `arn:partition:service:region:account:resource`. */
export type Arn = {
  arn: string
  partition: string
  service: string
  region: string
  account: string
  /** What stands behind the first `/` or `:` of the resource, or all of it where there is none. */
  rest: string
}

/**
 * The id is a function of the ARN's parts where it is not what stands behind the kind; undefined where the parts do
 * not have it.
 */
type AwsRule = readonly [type: string, id?: (arn: Arn) => string | undefined]

const whole = ({ arn }: Arn) => arn
const last = ({ rest }: Arn) => rest.slice(rest.lastIndexOf('/') + 1)
/** `cluster/name/uuid` → `cluster:name`. */
const inCluster = ({ rest }: Arn) => rest.split('/').slice(0, 2).join(':')

/** By `service:kind`; the kind is empty where the resource is a name alone. */
export const awsRules: Readonly<Record<string, AwsRule>> = {
  'acm:certificate': ['aws_acm_certificate', whole],
  'apigateway:restapis': ['aws_api_gateway_rest_api'],
  'apigateway:apis': ['aws_apigatewayv2_api'],
  'autoscaling:autoScalingGroup': ['aws_autoscaling_group', last],
  'backup:backup-vault': ['aws_backup_vault'],
  'cloudfront:distribution': ['aws_cloudfront_distribution'],
  'cloudtrail:trail': ['aws_cloudtrail', whole],
  'cloudwatch:alarm': ['aws_cloudwatch_metric_alarm'],
  'codebuild:project': ['aws_codebuild_project'],
  'codepipeline:': ['aws_codepipeline'],
  'cognito-idp:userpool': ['aws_cognito_user_pool'],
  'dynamodb:table': ['aws_dynamodb_table'],
  'ec2:customer-gateway': ['aws_customer_gateway'],
  'ec2:dhcp-options': ['aws_vpc_dhcp_options'],
  'ec2:elastic-ip': ['aws_eip'],
  'ec2:image': ['aws_ami'],
  'ec2:instance': ['aws_instance'],
  'ec2:internet-gateway': ['aws_internet_gateway'],
  'ec2:launch-template': ['aws_launch_template'],
  'ec2:natgateway': ['aws_nat_gateway'],
  'ec2:network-acl': ['aws_network_acl'],
  'ec2:network-interface': ['aws_network_interface'],
  'ec2:prefix-list': ['aws_ec2_managed_prefix_list'],
  'ec2:route-table': ['aws_route_table'],
  'ec2:security-group': ['aws_security_group'],
  'ec2:snapshot': ['aws_ebs_snapshot'],
  'ec2:subnet': ['aws_subnet'],
  'ec2:transit-gateway': ['aws_ec2_transit_gateway'],
  'ec2:volume': ['aws_ebs_volume'],
  'ec2:vpc': ['aws_vpc'],
  'ec2:vpc-endpoint': ['aws_vpc_endpoint'],
  'ec2:vpc-flow-log': ['aws_flow_log'],
  'ec2:vpc-peering-connection': ['aws_vpc_peering_connection'],
  'ec2:vpn-connection': ['aws_vpn_connection'],
  'ec2:vpn-gateway': ['aws_vpn_gateway'],
  'ecr:repository': ['aws_ecr_repository'],
  'ecs:cluster': ['aws_ecs_cluster'],
  // The short ARN of before 2018 does not name the cluster, which the id does.
  'ecs:service': ['aws_ecs_service', ({ rest }) => (rest.includes('/') ? rest : undefined)],
  'ecs:task-definition': ['aws_ecs_task_definition', whole],
  'eks:addon': ['aws_eks_addon', inCluster],
  'eks:cluster': ['aws_eks_cluster'],
  'eks:nodegroup': ['aws_eks_node_group', inCluster],
  'elasticache:cluster': ['aws_elasticache_cluster'],
  'elasticache:replicationgroup': ['aws_elasticache_replication_group'],
  'elasticache:subnetgroup': ['aws_elasticache_subnet_group'],
  'elasticfilesystem:file-system': ['aws_efs_file_system'],
  'elasticloadbalancing:listener': ['aws_lb_listener', whole],
  'elasticloadbalancing:loadbalancer': ['aws_lb', whole],
  'elasticloadbalancing:targetgroup': ['aws_lb_target_group', whole],
  'elasticmapreduce:cluster': ['aws_emr_cluster'],
  'es:domain': ['aws_opensearch_domain'],
  'events:rule': ['aws_cloudwatch_event_rule'],
  'firehose:deliverystream': ['aws_kinesis_firehose_delivery_stream', whole],
  'glue:job': ['aws_glue_job'],
  'iam:group': ['aws_iam_group', last],
  'iam:instance-profile': ['aws_iam_instance_profile', last],
  'iam:oidc-provider': ['aws_iam_openid_connect_provider', whole],
  'iam:policy': ['aws_iam_policy', whole],
  'iam:role': ['aws_iam_role', last],
  'iam:user': ['aws_iam_user', last],
  'kafka:cluster': ['aws_msk_cluster', whole],
  'kinesis:stream': ['aws_kinesis_stream'],
  'kms:alias': ['aws_kms_alias', ({ rest }) => `alias/${rest}`],
  'kms:key': ['aws_kms_key'],
  'lambda:function': ['aws_lambda_function'],
  'logs:log-group': ['aws_cloudwatch_log_group'],
  'rds:cluster': ['aws_rds_cluster'],
  'rds:cluster-pg': ['aws_rds_cluster_parameter_group'],
  'rds:db': ['aws_db_instance'],
  'rds:og': ['aws_db_option_group'],
  'rds:pg': ['aws_db_parameter_group'],
  'rds:snapshot': ['aws_db_snapshot'],
  'rds:subgrp': ['aws_db_subnet_group'],
  'redshift:cluster': ['aws_redshift_cluster'],
  'route53:hostedzone': ['aws_route53_zone'],
  's3:': ['aws_s3_bucket'],
  'secretsmanager:secret': ['aws_secretsmanager_secret', whole],
  'sns:': ['aws_sns_topic', whole],
  'sqs:': [
    'aws_sqs_queue',
    ({ partition, region, account, rest }) =>
      `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/${account}/${rest}`,
  ],
  // `/a/b` and `a/b` are one ARN, and only the first may have levels.
  'ssm:parameter': ['aws_ssm_parameter', ({ rest }) => (rest.includes('/') ? `/${rest}` : rest)],
  'states:stateMachine': ['aws_sfn_state_machine', whole],
}

/** By `service/scope/collection`, without the scope where a collection has one kind of place. The id is the path of the name. */
export const googleRules: Readonly<Record<string, string>> = {
  'artifactregistry/repositories': 'google_artifact_registry_repository',
  'bigquery/datasets': 'google_bigquery_dataset',
  'bigquery/tables': 'google_bigquery_table',
  'cloudfunctions/functions': 'google_cloudfunctions2_function',
  'cloudkms/cryptoKeys': 'google_kms_crypto_key',
  'cloudkms/keyRings': 'google_kms_key_ring',
  'cloudscheduler/jobs': 'google_cloud_scheduler_job',
  'cloudsql/instances': 'google_sql_database_instance',
  'cloudtasks/queues': 'google_cloud_tasks_queue',
  'compute/global/addresses': 'google_compute_global_address',
  'compute/regions/addresses': 'google_compute_address',
  'compute/global/backendBuckets': 'google_compute_backend_bucket',
  'compute/global/backendServices': 'google_compute_backend_service',
  'compute/regions/backendServices': 'google_compute_region_backend_service',
  'compute/zones/disks': 'google_compute_disk',
  'compute/regions/disks': 'google_compute_region_disk',
  'compute/global/firewalls': 'google_compute_firewall',
  'compute/global/forwardingRules': 'google_compute_global_forwarding_rule',
  'compute/regions/forwardingRules': 'google_compute_forwarding_rule',
  'compute/global/healthChecks': 'google_compute_health_check',
  'compute/global/images': 'google_compute_image',
  'compute/zones/instanceGroupManagers': 'google_compute_instance_group_manager',
  'compute/regions/instanceGroupManagers': 'google_compute_region_instance_group_manager',
  'compute/zones/instanceGroups': 'google_compute_instance_group',
  'compute/global/instanceTemplates': 'google_compute_instance_template',
  'compute/zones/instances': 'google_compute_instance',
  'compute/global/networks': 'google_compute_network',
  'compute/regions/routers': 'google_compute_router',
  'compute/global/routes': 'google_compute_route',
  'compute/global/securityPolicies': 'google_compute_security_policy',
  'compute/global/snapshots': 'google_compute_snapshot',
  'compute/global/sslCertificates': 'google_compute_ssl_certificate',
  'compute/regions/subnetworks': 'google_compute_subnetwork',
  'compute/global/targetHttpProxies': 'google_compute_target_http_proxy',
  'compute/global/targetHttpsProxies': 'google_compute_target_https_proxy',
  'compute/global/urlMaps': 'google_compute_url_map',
  'compute/regions/vpnGateways': 'google_compute_ha_vpn_gateway',
  'compute/regions/vpnTunnels': 'google_compute_vpn_tunnel',
  'container/clusters': 'google_container_cluster',
  'container/nodePools': 'google_container_node_pool',
  'dns/managedZones': 'google_dns_managed_zone',
  'file/instances': 'google_filestore_instance',
  'iam/serviceAccounts': 'google_service_account',
  'monitoring/alertPolicies': 'google_monitoring_alert_policy',
  'pubsub/subscriptions': 'google_pubsub_subscription',
  'pubsub/topics': 'google_pubsub_topic',
  'redis/instances': 'google_redis_instance',
  'run/jobs': 'google_cloud_run_v2_job',
  'run/services': 'google_cloud_run_v2_service',
  'secretmanager/secrets': 'google_secret_manager_secret',
  'spanner/databases': 'google_spanner_database',
  'spanner/instances': 'google_spanner_instance',
}

/**
 * By the Azure type as the provider writes it: its ids are compared with case, and ours are in lower
 * case. A type that is not here is imported by `azapi_resource`, which takes the id of every one.
 */
export const azureRules: Readonly<Record<string, string>> = {
  'Microsoft.App/containerApps': 'azurerm_container_app',
  'Microsoft.App/managedEnvironments': 'azurerm_container_app_environment',
  'Microsoft.Cache/redis': 'azurerm_redis_cache',
  'Microsoft.Cdn/profiles': 'azurerm_cdn_frontdoor_profile',
  'Microsoft.Compute/availabilitySets': 'azurerm_availability_set',
  'Microsoft.Compute/disks': 'azurerm_managed_disk',
  'Microsoft.Compute/images': 'azurerm_image',
  'Microsoft.Compute/snapshots': 'azurerm_snapshot',
  'Microsoft.ContainerRegistry/registries': 'azurerm_container_registry',
  'Microsoft.ContainerService/managedClusters': 'azurerm_kubernetes_cluster',
  'Microsoft.DBforMySQL/flexibleServers': 'azurerm_mysql_flexible_server',
  'Microsoft.DBforPostgreSQL/flexibleServers': 'azurerm_postgresql_flexible_server',
  'Microsoft.DocumentDB/databaseAccounts': 'azurerm_cosmosdb_account',
  'Microsoft.EventHub/namespaces': 'azurerm_eventhub_namespace',
  'Microsoft.Insights/components': 'azurerm_application_insights',
  'Microsoft.KeyVault/vaults': 'azurerm_key_vault',
  'Microsoft.ManagedIdentity/userAssignedIdentities': 'azurerm_user_assigned_identity',
  'Microsoft.Network/applicationGateways': 'azurerm_application_gateway',
  'Microsoft.Network/dnsZones': 'azurerm_dns_zone',
  'Microsoft.Network/loadBalancers': 'azurerm_lb',
  'Microsoft.Network/natGateways': 'azurerm_nat_gateway',
  'Microsoft.Network/networkInterfaces': 'azurerm_network_interface',
  'Microsoft.Network/networkSecurityGroups': 'azurerm_network_security_group',
  'Microsoft.Network/privateDnsZones': 'azurerm_private_dns_zone',
  'Microsoft.Network/privateEndpoints': 'azurerm_private_endpoint',
  'Microsoft.Network/publicIPAddresses': 'azurerm_public_ip',
  'Microsoft.Network/routeTables': 'azurerm_route_table',
  'Microsoft.Network/virtualNetworks': 'azurerm_virtual_network',
  'Microsoft.Network/virtualNetworks/subnets': 'azurerm_subnet',
  'Microsoft.OperationalInsights/workspaces': 'azurerm_log_analytics_workspace',
  'Microsoft.RecoveryServices/vaults': 'azurerm_recovery_services_vault',
  'Microsoft.ServiceBus/namespaces': 'azurerm_servicebus_namespace',
  'Microsoft.Sql/servers': 'azurerm_mssql_server',
  'Microsoft.Sql/servers/databases': 'azurerm_mssql_database',
  'Microsoft.Storage/storageAccounts': 'azurerm_storage_account',
  'Microsoft.Web/serverFarms': 'azurerm_service_plan',
}
