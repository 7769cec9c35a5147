import GatehouseJSON
import GatehousePlatform
public import GatehouseSecurity
public import GatehouseWire

/// A step of a withdrawal, as exported beside the backups and repeated in a restored database. The lines of an export and the audit
/// lines of a log have the same form, so either can be repeated.
public struct Erasure: Sendable, Hashable {
    public enum Step: Sendable, Hashable {
        case withdrawn
        /// The member is withdrawn at the end, unless it cancels.
        case requested(end: Moment)
        case cancelled
    }

    public let app: AppID
    public let user: UserID
    public let step: Step
    public let moment: Moment

    public init(app: AppID, user: UserID, step: Step, moment: Moment) {
        self.app = app
        self.user = user
        self.step = step
        self.moment = moment
    }

    /// Why a line can't be used: it concerns something else, or is broken.
    public enum Unreadable: Error, Sendable, Hashable {
        case ofSomethingElse, broken
    }

    /// Parses a line of an export or of a log.
    ///
    /// - Throws: ``Unreadable/ofSomethingElse`` for any other line; ``Unreadable/broken`` if the line names a withdrawal but can't be
    ///   parsed, because it may concern a person.
    public init(line: String) throws(Unreadable) {
        let isNamed = Name.allCases.contains { line.has("\"\($0.rawValue)\"") }
        guard isNamed else { throw .ofSomethingElse }
        // A log collector may have added a prefix.
        let json = line.range(ofBytes: "{").map { line[$0.lowerBound...] } ?? ""
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(json.utf8)) else { throw .broken }
        guard let name = line.audit.flatMap(Name.init) else { throw .ofSomethingElse }
        guard let app = line.appId, let user = line.userId, let time = line.time else { throw .broken }
        self.app = AppID(app)
        self.user = UserID(user)
        moment = Moment(milliseconds: time.value)
        switch name {
        case .withdrawn: step = .withdrawn
        case .cancelled: step = .cancelled
        case .requested:
            guard let end = line.endDate?.value else { throw .broken }
            step = .requested(end: Moment(milliseconds: end))
        }
    }

    /// One line of JSON, in the form of the log's audit lines.
    public var line: String {
        get throws { try JSONText.sorted(Line(self)) }
    }

    private enum Name: String, CaseIterable {
        case withdrawn = "member.withdrawn"
        case requested = "withdrawal.requested"
        case cancelled = "withdrawal.cancelled"
    }

    private struct Line: Codable {
        let appId: String?
        let audit: String?
        let userId: String?
        let time: Milliseconds?
        let endDate: Milliseconds?

        init(_ erasure: Erasure) {
            appId = erasure.app.rawValue
            userId = erasure.user.rawValue
            time = Milliseconds(value: erasure.moment.milliseconds)
            switch erasure.step {
            case .withdrawn: (audit, endDate) = (Name.withdrawn.rawValue, nil)
            case .cancelled: (audit, endDate) = (Name.cancelled.rawValue, nil)
            case .requested(let end):
                (audit, endDate) = (Name.requested.rawValue, Milliseconds(value: end.milliseconds))
            }
        }
    }

    /// A time between 1970 and 2100, as a number, or as a text in the way logs write values.
    private struct Milliseconds: Codable {
        let value: Int64

        init(value: Int64) { self.value = value }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let number = try (try? container.decode(Int64.self)) ?? Int64(container.decode(String.self)) ?? -1
            guard (0...4_102_444_800_000).contains(number) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a time")
            }
            value = number
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
}
