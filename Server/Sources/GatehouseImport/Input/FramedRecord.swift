import GatehouseJSON

/// One record as it stands in another system's file.
struct FramedRecord {
    enum Content {
        case json(StrictJSON.Value)
        case row([String])
        /// There is a record, and it can't be read.
        case broken(RecordProblem)
    }

    /// The line on which it begins, from 1.
    let line: Int
    /// Where it begins in the file.
    let offset: Int64
    let content: Content

    /// Reads a record's JSON.
    static func json(_ bytes: some Collection<UInt8>) -> Content {
        do throws(StrictJSON.Failure) {
            return .json(try StrictJSON.parse(bytes))
        } catch {
            let code: RecordProblem.Code = error.reason == "invalid UTF-8" ? .notUTF8 : .badJSON
            return .broken(RecordProblem(code, "\(error.reason), at byte \(error.offset) of the record"))
        }
    }

    static let tooLong = Content.broken(
        RecordProblem(.tooLong, "the record has more than \(ImportLimits.sourceBytes) bytes"))
}
