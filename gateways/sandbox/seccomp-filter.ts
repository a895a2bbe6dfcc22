/**
 * A classic BPF program for bwrap's `--seccomp`. It refuses system calls that plans and builds do not need and
 * that were used to escape from sandboxes or their limits. Undefined for an unknown processor.
 */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  const machine = machines[arch]
  if (!machine) return undefined
  const calls = Object.values(machine.calls)

  const refuseAt = 4 + calls.length + 1
  const program: Instruction[] = [
    [loadWord, 0, 0, archOffset],
    // In another mode (i386 on x64) the same numbers mean other calls, so that mode is refused.
    [jumpIfEqual, 0, refuseAt - 2, machine.audit],
    [loadWord, 0, 0, numberOffset],
    [jumpIfAtLeast, refuseAt - 4, 0, machine.firstForeign],
    ...calls.map((call, index): Instruction => [jumpIfEqual, refuseAt - 5 - index, 0, call]),
    [giveBack, 0, 0, allow],
    [giveBack, 0, 0, refuseWithEperm],
  ]
  return Buffer.concat(program.map(encode))
}

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number]
type Machine = { audit: number; firstForeign: number; calls: Record<string, number> }

// io_uring works around filters and limits; userfaultfd, bpf, perf and keyrings were part of many kernel
// exploits; memfd and System V shared memory hold memory of no process, which the memory limit would not
// count. pidfd_getfd, process_vm_* and kcmp reach into other processes of the same uid: a provider could take
// OpenTofu's standard output and print a plan of its own.
const shared = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  memfd_secret: 447,
  pidfd_getfd: 438,
}
const machines: Record<string, Machine | undefined> = {
  x64: {
    audit: 0xc000003e,
    firstForeign: 0x40000000, // x32
    calls: {
      ...shared,
      shmget: 29,
      ptrace: 101,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      perf_event_open: 298,
      process_vm_readv: 310,
      process_vm_writev: 311,
      kcmp: 312,
      memfd_create: 319,
      bpf: 321,
      userfaultfd: 323,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    firstForeign: 0x40000000,
    calls: {
      ...shared,
      ptrace: 117,
      shmget: 194,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      perf_event_open: 241,
      process_vm_readv: 270,
      process_vm_writev: 271,
      kcmp: 272,
      memfd_create: 279,
      bpf: 280,
      userfaultfd: 282,
    },
  },
}

const loadWord = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const giveBack = 0x06
const numberOffset = 0
const archOffset = 4
const allow = 0x7fff0000
const refuseWithEperm = 0x00050001

function encode([code, whenTrue, whenFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(whenTrue, 2)
  bytes.writeUInt8(whenFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}
