import HearthWire
import NIOCore

/// The daemon's state, for sessions that listen to the state.
extension SessionHandler {
    /// Has the session told whenever the daemon's state may have changed in these scopes.
    func followStatus(_ scopes: Set<StatusScope>) {
        guard let context, let key = engine?.key else { return }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        services.registry.statusBoard.follow(scopes, of: key, as: session) { scope, reports in
            handler.eventLoop.execute { handler.value.told(reports, of: scope) }
        }
    }

    private func told(_ reports: [StatusReport], of scope: StatusScope) {
        guard context != nil, !isEnding else { return }  // The client left meanwhile.
        carryOut(machine.told(reports, of: scope))
        finishRead()
    }
}
