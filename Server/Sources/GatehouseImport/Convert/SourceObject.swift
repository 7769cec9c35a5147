import GatehouseJSON

/// An object of another system's file. Its unknown members are counted, and its numbers may be texts.
struct SourceObject {
    private let object: RecordObject

    init(_ value: StrictJSON.Value, at path: String = "") throws(RecordProblem) {
        object = try RecordObject(value, at: path)
    }

    private init(_ object: RecordObject) { self.object = object }

    var path: String { object.path }
    var names: [String] { object.members.map(\.name) }
    var members: [(name: String, value: StrictJSON.Value)] { object.members }

    func place(_ name: String) -> String { object.place(name) }

    /// A value that is present and not null.
    func value(_ name: String) -> StrictJSON.Value? { object.value(name) }

    func has(_ name: String) -> Bool { object.members.contains { $0.name.isExactly(name) } }

    /// A text; nil if it is absent or empty. What is written of it has its limits in the draft.
    func text(_ name: String) throws(RecordProblem) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else {
            throw RecordProblem(.badType, at: place(name), "it must be a text")
        }
        return text.isEmpty ? nil : text
    }

    func flag(_ name: String) throws(RecordProblem) -> Bool {
        guard let value = value(name) else { return false }
        guard case .bool(let flag) = value else {
            throw RecordProblem(.badType, at: place(name), "it must be true or false")
        }
        return flag
    }

    /// A moment in units since 1970, as a number or as a text of digits.
    ///
    /// - Parameter unit: the milliseconds of a unit.
    func number(_ name: String, unit: Int64 = 1) throws(RecordProblem) -> Int64? {
        guard let value = value(name) else { return nil }
        let number: Int64? =
            switch value {
            case .integer(let number): number
            case .string(let text): Int64(text)
            default: nil
            }
        guard let number, number >= 0, number <= ImportLimits.lastDate / unit else {
            throw RecordProblem(.badDate, at: place(name), "it must be a time between the years 1970 and 9999")
        }
        return number * unit
    }

    /// A moment as a text of ISO 8601, or in milliseconds.
    func date(_ name: String, zoneMinutes: Int? = nil) throws(RecordProblem) -> Int64? {
        guard case .string(let text)? = value(name) else { return try number(name) }
        return try SourceDate.read(text, zoneMinutes: zoneMinutes, at: place(name))
    }

    func object(_ name: String) throws(RecordProblem) -> SourceObject? {
        guard let value = value(name) else { return nil }
        return try SourceObject(value, at: place(name))
    }

    /// The objects of a list; nil if there is no list.
    func objects(_ name: String) throws(RecordProblem) -> [SourceObject]? {
        guard let value = value(name) else { return nil }
        return try Self.objects(value, at: place(name))
    }

    static func objects(_ value: StrictJSON.Value, at path: String) throws(RecordProblem) -> [SourceObject] {
        guard case .array(let values) = value else { throw RecordProblem(.badType, at: path, "it must be a list") }
        var objects: [SourceObject] = []
        for (index, value) in values.enumerated() { objects.append(try SourceObject(value, at: "\(path)[\(index)]")) }
        return objects
    }
}
