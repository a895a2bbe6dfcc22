/**
 * The attacks of a provider on the engine that started it, which runs under the same uid. A perl
 * script that prints one line per attempt, `name: refused` or `name: REACHED`. Its parent process
 * is the step's program.
 */
export const attackOnParent = String.raw`
use strict; use Errno;
my $parent = getppid();
my %call = $ENV{ARCH} eq 'arm64'
  ? (ptrace => 117, process_vm_readv => 270, process_vm_writev => 271, kcmp => 272)
  : (ptrace => 101, process_vm_readv => 310, process_vm_writev => 311, kcmp => 312);
sub told { my ($name, $reached) = @_; print "$name: ", ($reached ? 'REACHED' : 'refused'), "\n" }

sub opened { my ($mode, $path) = @_; return open(my $file, $mode, $path) ? 1 : 0 }
told("$_ $parent", opened('+<', "/proc/$parent/$_")) for ('mem');
told("fd/$_ $parent", opened('>>', "/proc/$parent/fd/$_")) for (1, 2);
told("fd/$_ link", defined readlink("/proc/$parent/fd/$_")) for (0, 1, 2);
told("$_ $parent", opened('<', "/proc/$parent/$_")) for ('environ', 'maps', 'auxv');
told("$_ link", defined readlink("/proc/$parent/$_")) for ('cwd', 'root', 'exe');

for my $pid ($parent, 1) {
  my $handle = syscall(434, $pid, 0);
  for my $fd (0, 1, 2) {
    $! = 0;
    told("pidfd_getfd $fd of $pid", syscall(438, $handle, $fd, 0) >= 0);
  }
  my $buffer = "\0" x 8;
  my $here = pack('QQ', unpack('Q', pack('P', $buffer)), 8);
  # The caller may read itself, so only the filter can refuse what it names.
  told("$_ of $pid", syscall($call{$_}, $pid, $here, 1, $here, 1, 0) >= 0)
    for ('process_vm_readv', 'process_vm_writev');
  told("ptrace of $pid", syscall($call{ptrace}, 16, $pid, 0, 0) >= 0);
  told("kcmp of $pid", syscall($call{kcmp}, $pid, $$, 0, 1, 1) >= 0);
}
told('kcmp of itself', syscall($call{kcmp}, $$, $$, 0, 1, 1) >= 0);
my $me = syscall(434, $$, 0);
told('pidfd_getfd of itself', syscall(438, $me, 1, 0) >= 0);

# Process 1 is bwrap, which anybody of its uid may open: it must hold nothing worth taking.
my $held = readlink('/proc/1/fd/1') // '/dev/null';
told('output of process 1', $held ne '/dev/null');
my $input = readlink('/proc/1/fd/0') // '/dev/null';
told('input of process 1', $input ne '/dev/null');
`
