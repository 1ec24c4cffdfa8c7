//! What scripts try from inside the sandbox, one attempt a row. Knows no engine.

/// How an attempt has to end.
pub enum Ends {
    /// The program itself meets the wall and says this.
    Says(&'static str),
    /// The call fails with this code.
    Fails(&'static str),
    /// Either way, as long as nothing was reached.
    Anyhow,
}
use Ends::{Anyhow, Fails, Says};

/// `{home}` holds secrets, `{plan}` the plan with `data` (granted for reading) and `out` (granted for writing). Whatever
/// prints the secret, changes a file elsewhere, reaches the listener or leaves a process has escaped.
pub const SCRIPTS: &[(&str, Ends)] = &[
    // files that are not granted
    ("cat /etc/passwd || echo refused", Says("refused\n")),
    ("cat /etc/shadow || echo refused", Says("refused\n")),
    ("getent passwd root || echo refused", Says("refused\n")),
    ("cat {home}/.ssh/id || echo refused", Says("refused\n")),
    ("cat {home}/secret.txt || echo refused", Says("refused\n")),
    ("cat ~/.bashrc ~/.ssh/* || echo refused", Says("refused\n")),
    (
        "cat {plan}/data/../../secret.txt || echo refused",
        Says("refused\n"),
    ),
    (
        "cd {plan}/data && cat ../../secret.txt || echo refused",
        Says("refused\n"),
    ),
    (
        "cat {home}/db/planloom.db {home}/db/settings.json || echo refused",
        Says("refused\n"),
    ),
    (
        "ls {home} {home}/db",
        Says("{home}:\ndb\nplan\n\n{home}/db:\nruns\n"),
    ),
    ("ls /root /run /boot /sys || echo refused", Says("refused\n")),
    (
        "find / -path /proc -prune -o -path /usr -prune -o -path '*.ssh*' -print | wc -l",
        Says("0\n"),
    ),
    ("cat {plan}/attack.plan.json || echo refused", Says("refused\n")),
    ("cat {plan}/data/.netrc || echo refused", Says("refused\n")),
    (
        "cat {plan}/data/.env {plan}/data/deep/id_rsa || echo refused",
        Says("refused\n"),
    ),
    (
        "cp -r {plan}/data $TMPDIR/x 2>/dev/null; cat $TMPDIR/x/.env $TMPDIR/x/deep/id_rsa || echo refused",
        Says("refused\n"),
    ),
    (
        "tar cf - {plan}/data 2>/dev/null | grep -a -c SECRET",
        Fails("exit_code"),
    ),
    ("chmod 600 {plan}/data/.env || echo refused", Says("refused\n")),
    ("cat {plan}/data/link || echo refused", Says("refused\n")),
    (
        "cat {plan}/data/folder/secret.txt || echo refused",
        Says("refused\n"),
    ),
    ("cat {plan}/data/socket || echo refused", Says("refused\n")),
    ("test -S {plan}/data/socket || echo refused", Says("refused\n")),
    // links that a program makes itself
    (
        "ln -s {home}/secret.txt {plan}/out/l1; cat {plan}/out/l1 || echo refused",
        Says("refused\n"),
    ),
    (
        "ln -s {home} {plan}/out/l2; echo x > {plan}/out/l2/new || echo refused",
        Says("refused\n"),
    ),
    (
        "ln {home}/secret.txt {plan}/out/hard || echo refused",
        Says("refused\n"),
    ),
    (
        "ln {plan}/data/a.txt {plan}/out/hard || echo refused",
        Says("refused\n"),
    ),
    // writing elsewhere
    ("echo x > {home}/secret.txt || echo refused", Says("refused\n")),
    ("echo x > {home}/new.txt || echo refused", Says("refused\n")),
    ("echo x > {plan}/new.txt || echo refused", Says("refused\n")),
    ("echo x > {plan}/data/new.txt || echo refused", Says("refused\n")),
    ("echo x >> {plan}/data/a.txt || echo refused", Says("refused\n")),
    ("rm -f {plan}/data/a.txt || echo refused", Says("refused\n")),
    ("chmod 777 {plan}/data/a.txt || echo refused", Says("refused\n")),
    (
        "touch -d 2000-01-01 {plan}/data/a.txt || echo refused",
        Says("refused\n"),
    ),
    (
        "mv {plan}/out {plan}/elsewhere || echo refused",
        Says("refused\n"),
    ),
    ("rmdir {plan}/out || echo refused", Says("refused\n")),
    ("echo x > /usr/bin/planted || echo refused", Says("refused\n")),
    ("echo x > /etc/planted || echo refused", Says("refused\n")),
    ("echo x > /planted || echo refused", Says("refused\n")),
    ("echo x > /dev/planted || echo refused", Says("refused\n")),
    // what would run by itself later
    ("echo x > {plan}/out/.bashrc", Fails("closed_path")),
    (
        "mkdir -p {plan}/out/r/.git/hooks; echo x > {plan}/out/r/.git/hooks/pre-commit",
        Fails("closed_path"),
    ),
    (
        "mkdir -p {plan}/out/.SSH; echo x > {plan}/out/.SSH/authorized_keys",
        Fails("closed_path"),
    ),
    // the kernel's doors
    ("mount --bind / {plan}/out || echo refused", Says("refused\n")),
    ("umount {plan}/data || echo refused", Says("refused\n")),
    (
        "mount -o remount,rw {plan}/data || echo refused",
        Says("refused\n"),
    ),
    ("unshare -Urm true || echo refused", Says("refused\n")),
    ("mknod {plan}/out/disk b 8 0 || echo refused", Says("refused\n")),
    (
        "echo x > /proc/sys/kernel/core_pattern || echo refused",
        Says("refused\n"),
    ),
    ("echo b > /proc/sysrq-trigger || echo refused", Says("refused\n")),
    (
        "echo 1 > /proc/self/oom_score_adj || echo refused",
        Says("refused\n"),
    ),
    // add_key, keyctl and io_uring_setup by their numbers
    (
        "command -v python3 >/dev/null || exec echo -1 -1 -1; python3 -c 'import ctypes; c = ctypes.CDLL(None).syscall; print(c(248, b\"user\", b\"k\", b\"v\", 1, -3), c(250, 0, -3, 0), c(425, 1, None))'",
        Says("-1 -1 -1\n"),
    ),
    ("echo said > /dev/stdout", Says("said\n")),
    ("chroot /proc/1/root true || echo refused", Says("refused\n")),
    // other processes
    ("cat /proc/{pid}/environ || echo refused", Says("refused\n")),
    (
        "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c CARGO",
        Fails("exit_code"),
    ),
    (
        "env | grep -vE '^(PATH|HOME|TMPDIR|LANG|TERM|PWD|OLDPWD|SHLVL|_)=' || echo refused",
        Says("refused\n"),
    ),
    (
        "cat /proc/[0-9]*/root{home}/secret.txt || echo refused",
        Says("refused\n"),
    ),
    (
        "cat /proc/[0-9]*/cwd/../secret.txt || echo refused",
        Says("refused\n"),
    ),
    ("kill -9 {pid} || echo refused", Says("refused\n")),
    ("kill -9 -1", Anyhow),
    ("kill -STOP 1; kill -9 1; echo refused", Says("refused\n")),
    (
        "command -v python3 >/dev/null || exec echo -1; python3 -c 'import ctypes; print(ctypes.CDLL(None).ptrace(16, {pid}, 0, 0))'",
        Says("-1\n"),
    ),
    ("ls /proc | grep -cE '^[0-9]{5,}$' || true", Says("0\n")),
    (
        "LD_PRELOAD={plan}/data/a.txt cat {home}/secret.txt || echo refused",
        Says("refused\n"),
    ),
    ("ulimit -c unlimited || echo refused", Says("refused\n")),
    ("ulimit -d unlimited || echo refused", Says("refused\n")),
    (
        "prlimit --nproc=unlimited true || echo refused",
        Says("refused\n"),
    ),
    // the network
    (
        "bash -c 'echo x > /dev/tcp/127.0.0.1/{tcp}' || echo refused",
        Says("refused\n"),
    ),
    (
        "bash -c 'echo x > /dev/tcp/localhost/{tcp}' || echo refused",
        Says("refused\n"),
    ),
    (
        "bash -c 'echo x > /dev/tcp/::1/{tcp}' || echo refused",
        Says("refused\n"),
    ),
    (
        "bash -c 'echo x > /dev/tcp/169.254.169.254/80' || echo refused",
        Says("refused\n"),
    ),
    (
        "bash -c 'echo x > /dev/tcp/1.1.1.1/443' || echo refused",
        Says("refused\n"),
    ),
    ("bash -c 'echo x > /dev/udp/127.0.0.1/{udp}'; true", Anyhow),
    (
        "bash -c 'echo x > /dev/udp/8.8.8.8/53' || echo refused",
        Says("refused\n"),
    ),
    ("getent hosts example.com || echo refused", Says("refused\n")),
    (
        "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)' || echo refused",
        Says("refused\n"),
    ),
    // more than its share
    ("while :; do sleep 9 & done", Anyhow),
    ("yes", Anyhow),
    ("tail /dev/zero", Anyhow),
    (
        "head -c 5G /dev/zero > $TMPDIR/full || echo refused",
        Says("refused\n"),
    ),
    (
        "head -c 5G /dev/zero > /dev/shm/full || echo refused",
        Says("refused\n"),
    ),
    ("while :; do :; done", Fails("timeout")),
    ("trap '' TERM INT HUP; while :; do :; done", Fails("timeout")),
];
