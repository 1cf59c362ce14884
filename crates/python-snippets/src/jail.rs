//! The jail: the worker confines its process, then becomes Python.

use super::Interpreter;
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

/// Permanent limits of a worker: address space \[bytes\] (numpy alone maps several hundred megabytes), open files,
/// processor time \[s\] (for a process that outlives the program which started it), and no written file, core or
/// further process.
const LIMITS: [(Resource, u64); 6] = [
    (Resource::As, 2 << 30),
    (Resource::Nofile, 64),
    (Resource::Cpu, 60),
    (Resource::Core, 0),
    (Resource::Fsize, 0),
    (Resource::Nproc, 0),
];

/// Folders of shared libraries.
const LIBRARIES: [&str; 6] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
];

/// System calls that no computation needs and that affect other processes, files or the system. Landlock does not
/// cover the owner, mode, times and attributes of a file.
const FORBIDDEN: [i64; 80] = [
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_setpriority,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_ioprio_set,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_kcmp,
    libc::SYS_getcwd,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_truncate,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_io_uring_setup,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_userfaultfd,
    libc::SYS_memfd_create,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    // Newer than the names in `libc`, with the same numbers everywhere: fchmodat2, setxattrat, removexattrat,
    // file_setattr.
    452,
    463,
    466,
    469,
];

/// Calls that only the interface of x86-64 has.
#[cfg(target_arch = "x86_64")]
const LEGACY: [i64; 8] = [
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];

#[cfg(not(target_arch = "x86_64"))]
const LEGACY: [i64; 0] = [];

/// The bit of calls by the x32 interface of x86-64, and the numbers that only this interface has.
const X32: i64 = 0x4000_0000;
const X32_ONLY: std::ops::Range<i64> = 512..548;

/// Confines this process and becomes Python; returns only on an error.
pub(super) fn enter(interpreter: &Interpreter) -> io::Error {
    match shut(interpreter) {
        Ok(()) => interpreter.command().exec(),
        Err(error) => error,
    }
}

fn shut(python: &Interpreter) -> io::Result<()> {
    for (resource, value) in LIMITS {
        let limit = Rlimit {
            current: Some(value),
            maximum: Some(value),
        };
        setrlimit(resource, limit)?;
    }
    let other = |e: &dyn std::fmt::Display| io::Error::other(e.to_string());
    let reading = AccessFs::from_read(ABI::V1);
    // A folder that does not exist needs no permission.
    let allowed = LIBRARIES
        .iter()
        .map(Path::new)
        .chain(python.read.iter().map(PathBuf::as_path))
        .chain([python.executable.as_path()]);
    // Version 1 of Landlock, which covers files, is required. What later versions add is taken
    // where the kernel has it; without it, the filter below still forbids connections and
    // `truncate`.
    let created = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .map_err(|e| other(&format!("Landlock is not at hand: {e}")))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(ABI::V4)))
        .and_then(Ruleset::create)
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(allowed, reading)))
        .map_err(|e| other(&e))?;
    let status = created.restrict_self().map_err(|e| other(&e))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(other(&"Landlock is not at hand"));
    }
    let forbidden = FORBIDDEN.into_iter().chain(LEGACY);
    let mut rules: BTreeMap<i64, Vec<_>> = forbidden
        .clone()
        // A process of x86-64 can use the x32 interface however it was compiled, so a number is
        // forbidden with its bit too.
        .chain(forbidden.chain(X32_ONLY).map(|call| call | X32))
        .map(|call| (call, Vec::new()))
        .collect();
    // The limits of this process (0) may be read, those of others may not be changed.
    let others = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(|e| other(&e))?;
    rules.insert(libc::SYS_prlimit64, vec![others.clone()]);
    rules.insert(libc::SYS_prlimit64 | X32, vec![others]);
    let arch = std::env::consts::ARCH.try_into().map_err(|e| other(&e))?;
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        // An error and not the end of the process: Python makes an exception of it, which becomes
        // the reply.
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        arch,
    );
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(|e| other(&e))?;
    apply_filter(&program).map_err(|e| other(&e))
}
