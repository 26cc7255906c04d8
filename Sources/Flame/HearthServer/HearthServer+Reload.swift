import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
package import HearthWire
import Logging
import Synchronization

/// Reading the configuration again.
extension HearthServer {
    /// Reads the files and flags of the configuration. Blocks on the disk.
    package typealias ReadConfiguration =
        @Sendable () -> (ServerConfiguration, [ConfigurationProblem])

    /// From now on the configuration can be read again: by the control socket, and by `reloadLater`
    /// of the reporter.
    package func enableReload(_ read: @escaping ReadConfiguration) {
        reporter.setReload { [weak self] in
            guard let self else { return .failure(.shuttingDown) }
            return reload(read)
        }
    }

    /// Takes over what can be changed at once. If anything is wrong, all stays as it was.
    private func reload(_ read: ReadConfiguration) -> Result<ReloadReport, HearthError> {
        ServiceNotifier.reloading()
        let result = take(read())
        ServiceNotifier.ready(status: reporter.line)
        return result
    }

    private func take(
        _ read: (configuration: ServerConfiguration, problems: [ConfigurationProblem])
    ) -> Result<ReloadReport, HearthError> {
        if !read.problems.isEmpty {
            let problems = read.problems.map(\.refusal).joined(separator: " ")
            logger.record(
                .configurationRead, [.reason: "kept the old one: \(problems)"], level: .warning)
            reporter.setReason(
                "The new configuration is wrong, and the old one counts. \(problems)",
                for: "configuration")
            return .failure(
                HearthError(
                    code: .failedPrecondition,
                    message: "The old configuration goes on to count. \(problems) Mend that, "
                        + "and reload again."))
        }
        let new = read.configuration
        let old = running.withLock { running in
            defer { running.configuration = new }
            return running.configuration
        }
        apply(new)
        reporter.setReason(nil, for: "configuration")
        let report = new.changes(from: old, startedWith: configuration)
        if old.access != nil, new.access == nil {
            logger.record(
                .configurationRead,
                [
                    .reason: "\(report.reason). The last access rule is gone: every user whom the "
                        + "client socket admits may read and write."
                ],
                level: .warning)
        } else {
            logger.record(.configurationRead, [.reason: report.reason])
        }
        return .success(report)
    }

    private func apply(_ new: ServerConfiguration) {
        let access = running.withLock { $0.standardAccess } ?? AccessPolicy.closed
        reconfigure(
            settings.change {
                $0 = LiveSettings.Values(
                    new, access: access, placed: configuration.gateway)
            })
        SubordinateUsers.ofMachine.retryLater()
        setQueueLimits(of: new)
        engines.setLedgerTerms(new.ledgerTerms)
        engines.setHistoryTerms(new.historyTerms)
        keeping.load()  // The file may be readable by now.
        keepPlaces()
        pinning.load()
        reviewPins()
        reviewGeneration()
        // Threads and files of databases are counted at the start, what a user may have of them is not.
        var engineLimits = configuration.engineLimits
        engineLimits.uidCountMax = new.limits.uidDatabaseCountMax
        engines.setLimits(engineLimits)
        judgeMemory(new)
        logThreshold.level = new.logLevel
    }

    /// Tells the engines who pays for whose writes, if that has changed.
    func renewOwners() {
        let owners = SubordinateUsers.ofMachine.ranges
        let configuration = running.withLock { running -> ServerConfiguration? in
            guard running.owners != owners else { return nil }
            running.owners = owners
            return running.configuration
        }
        if let configuration { setQueueLimits(of: configuration) }
    }

    private func setQueueLimits(of configuration: ServerConfiguration) {
        let owners = running.withLock { $0.owners }
        engines.setQueueLimits {
            var limits = configuration.queueLimits(of: $0)
            limits.owners = owners
            return limits
        }
    }
}

extension ReloadReport {
    /// What the journal tells of the changes.
    package var reason: String {
        var parts: [String] = []
        if !applied.isEmpty { parts.append("applied: \(applied.joined(separator: " "))") }
        if !needsRestart.isEmpty {
            parts.append("after a restart: \(needsRestart.joined(separator: " "))")
        }
        return parts.isEmpty ? "nothing has changed" : parts.joined(separator: "; ")
    }
}

extension ServerConfiguration {
    /// The keys whose values differ from the values that count.
    ///
    /// - Parameters:
    ///   - old: The configuration that was read last. Its values count for the keys that take
    ///     effect at once.
    ///   - start: The configuration of the start. Its values count for the other keys.
    package func changes(
        from old: ServerConfiguration, startedWith start: ServerConfiguration
    ) -> ReloadReport {
        let keys = ConfigurationTable.keys
        let applied = keys.filter { $0.takesEffectAtOnce && value(of: $0) != old.value(of: $0) }
        let needsRestart = keys.filter {
            !$0.takesEffectAtOnce && value(of: $0) != start.value(of: $0)
        }
        return ReloadReport(
            applied: (access == old.access ? [] : ["access"]) + applied.map(\.name),
            needsRestart: needsRestart.map(\.name))
    }

    /// The value of a key that was set, or the standard of a number, which counts then.
    private func value(of key: ConfigurationKey) -> ConfigurationLayer.Value? {
        if let value = values[key.name] { return value }
        guard case .number = key.kind else { return nil }
        return key.standard
    }
}
