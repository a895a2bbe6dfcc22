/* Stands for Syft, whose command line it takes: scan dir:FOLDER --output FORMAT=PATH ... It is a program,
   and no script, since the sandbox installs programs that nobody can read. What it does beside that is told
   by a file of the artifact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <unistd.h>

static int has(const char *name) { return access(name, F_OK) == 0; }

static int is_online(void) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(53)};
  inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
  int one = socket(AF_INET, SOCK_DGRAM, 0);
  return connect(one, (struct sockaddr *)&to, sizeof to) == 0;
}

int main(int count, char **args) {
  const char *folder = strncmp(args[2], "dir:", 4) == 0 ? args[2] + 4 : ".";
  if (chdir(folder) != 0) return 3;
  if (has("fail")) return 1;
  for (int at = 3; at + 1 < count; at += 1) {
    if (strcmp(args[at], "--output") != 0) continue;
    char *path = strchr(args[at + 1], '=') + 1;
    FILE *file = fopen(path, "w");
    if (file == NULL) return 4;
    const char *format = has("other") ? "\"spdxVersion\":\"SPDX-9\",\"specVersion\":\"9\""
      : strncmp(args[at + 1], "spdx", 4) == 0 ? "\"spdxVersion\":\"SPDX-2.3\"" : "\"specVersion\":\"1.6\"";
    fprintf(file, "{%s,\"online\":%d", format, is_online());
    if (has("flood"))
      for (long n = 0; n < 5L << 20; n += 1) fputs(",\"floods\"", file);
    fputs("}", file);
    if (fclose(file) != 0) return 5;
  }
  return 0;
}
