import GatehouseJSON
public import GatehouseSecurity

/// An attempt of a job that has failed.
public struct FailedAttempt: Sendable, Hashable {
    /// Upper bound on the attempts that a job keeps.
    static let kept = 5
    /// Upper bound on the code points of an error that is kept. The last error has all of its own.
    private static let errorLength = 120

    public let date: Moment
    /// A description for operators, without secrets.
    public let error: String

    init(_ failure: JobFailure, at date: Moment) {
        self.date = date
        error = String(String.UnicodeScalarView(failure.reason.unicodeScalars.prefix(Self.errorLength)))
    }
}

extension FailedAttempt: Codable {
    private enum CodingKeys: String, CodingKey {
        case at, error
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        date = Moment(milliseconds: try values.decode(Int64.self, forKey: .at))
        error = try values.decode(String.self, forKey: .error)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(date.milliseconds, forKey: .at)
        try values.encode(error, forKey: .error)
    }

    /// The attempts of a column; none for a text that is no list of them.
    static func list(_ text: String?) -> [FailedAttempt] {
        text.flatMap { try? JSONText.read($0) } ?? []
    }
}
