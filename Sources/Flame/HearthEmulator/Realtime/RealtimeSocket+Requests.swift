import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC

/// Hands a client's requests to the backend.
extension RealtimeSocket {
    /// Carries out a request, with the faults that befall it.
    func take(_ request: RealtimeRequest) {
        guard let method = RealtimeMethod(request.action), let faults = service.faults.take(method)
        else { return carryOut(request) }
        hold(for: faults.call.delay) { socket in
            if faults.call.losesAnswer { socket.lostAnswers.insert(request.number) }
            if let refusal = faults.call.refusal {
                socket.refuse(request.number, RealtimeRefusal(fault: refusal))
            } else {
                socket.carryOut(request)
            }
        }
    }

    private func refuse(_ number: Int, _ refusal: RealtimeRefusal) {
        guard let id else { return }
        host.answer(.refused(refusal), number: number, to: id)
    }

    private func carryOut(_ request: RealtimeRequest) {
        guard let id else { return }
        host.take(request, from: id)
    }
}
