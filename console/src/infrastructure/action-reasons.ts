/** Why OpenTofu plans an action, by its word for the reason. */
export const actionReasons: Readonly<Record<string, string>> = {
  replace_because_cannot_update:
    'It is replaced because the provider cannot change these attributes in place.',
  replace_because_tainted:
    'It is replaced because it is marked as damaged: an earlier creation did not finish, or a person marked it.',
  replace_by_request: 'It is replaced because the run asks for it by name.',
  replace_by_triggers:
    'It is replaced because something that its configuration names as a trigger of a replacement changes.',
  delete_because_no_resource_config:
    'It is destroyed because it is no longer in the configuration.',
  delete_because_wrong_repetition:
    'It is destroyed because the configuration now repeats this resource in another way.',
  delete_because_count_index:
    'It is destroyed because its number is beyond the count in the configuration.',
  delete_because_each_key:
    'It is destroyed because its key is no longer among those that the configuration repeats the resource for.',
  delete_because_enabled_false: 'It is destroyed because the configuration turns it off.',
  delete_because_no_module: 'It is destroyed because its module is no longer in the configuration.',
  delete_because_no_move_target:
    'It is destroyed because the configuration moves it to a resource that is not there.',
  read_because_config_unknown:
    'It is read during the apply because its configuration has values that are known only then.',
  read_because_dependency_pending:
    'It is read during the apply because it depends on a resource that changes.',
  forgot_because_lifecycle_destroy_in_config:
    'It is kept because its configuration says that it must not be destroyed.',
  forgot_because_lifecycle_destroy_in_state:
    'It is kept because its last configuration said that it must not be destroyed.',
  read_because_check_nested:
    'It is read during the apply because a check asks for its newest state.',
}
