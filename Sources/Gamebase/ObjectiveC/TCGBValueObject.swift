// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import GatehouseWire

/// A value of Gamebase's API: its JSON, with the documented names as properties. `description` is that JSON.
///
/// The compiler can't check a class as sendable that has subclasses, nor the subclasses. A test checks that all of them store only
/// constants.
#if canImport(ObjectiveC)
@objc(TCGBValueObject) @objcMembers
#endif
public class TCGBValueObject: NSObject, @unchecked Sendable {  // All it stores is constant.
    let json: [String: JSONValue]

    init(json: [String: JSONValue]) {
        self.json = json
    }

    override public var description: String { jsonString() }

    /// The value's JSON.
    public func jsonString() -> String { json.text() }

    /// The value's JSON, with line breaks.
    public func prettyJsonString() -> String { json.text(.prettyPrinted) }

    /// The same as ``jsonString()``.
    public func JSONString() -> String { jsonString() }

    /// The same as ``prettyJsonString()``.
    public func JSONPrettyString() -> String { prettyJsonString() }

    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? TCGBValueObject else { return false }
        return type(of: other) == type(of: self) && other.json == json
    }

    override public var hash: Int { json.hashValue }

    /// The value as a dictionary.
    public func dictionary() -> [String: Any] { json.foundation }
}
