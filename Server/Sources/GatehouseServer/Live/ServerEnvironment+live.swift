import Dispatch
public import GatehouseCore
import GatehousePlatform
public import GatehouseSecurity
public import GatehouseStorage
import X509

extension DevClock {
    /// The clock of the development server on a database. If nobody has moved it, it shows the machine's time.
    public static func kept(in database: Database) async throws -> DevClock {
        try await kept(in: database, machineTime: ServerEnvironment.live.now)
    }
}

extension ServerEnvironment {
    /// The machine's clocks and the system's random number generator. All other code receives time and randomness as parameters.
    public static let live = live(reachesLocal: false)

    /// - Parameter reachesLocal: for development: whether identity providers may be on this machine.
    /// - Parameter clock: for development: a clock that can be moved.
    /// - Parameter mailServer: the one that takes e-mails; nil if none is sent.
    /// - Parameter providerSeconds: how long an identity provider may take for an answer.
    public static func live(
        reachesLocal: Bool, clock: DevClock? = nil, mailServer: MailServer? = nil,
        providerSeconds: Int64 = OutgoingRequest.standardSeconds
    ) -> ServerEnvironment {
        var environment = ServerEnvironment(
            now: { Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) },
            monotonicNanoseconds: { DispatchTime.now().uptimeNanoseconds },
            random: .live,
            fetch: { try await OutgoingHTTP.fetch($0, reachesLocal: reachesLocal, seconds: providerSeconds) },
            authorities: SystemTrustStore.certificates,
            pause: { try await Task.sleep(nanoseconds: $0) })
        environment.providerSeconds = providerSeconds
        environment.diskSpace = DiskSpace.ofDisk
        if let clock { environment.now = { clock.now } }
        if let mailServer { environment.sendMail = SMTPClient(server: mailServer).send }
        return environment
    }
}
