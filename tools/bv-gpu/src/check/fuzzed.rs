//! Whatever a check file holds, reading it ends, without a panic.

use super::Check;
use crate::expr::Condition;
use crate::scene;
use crate::wire::Interface;
use proptest::prelude::*;

/// A check with one key's value, or one byte, replaced.
fn nearly_a_check() -> impl Strategy<Value = Vec<u8>> {
    const WHOLE: &str = r#"{"bvGpu":1,"program":{"vertex":"a.vert","fragment":"a.frag","lineOffset":{"vertex":2,"fragment":3}},
        "textures":{"u_map":{"size":[4,4],"format":"rgba8","data":"ramp","filter":"linear","wrap":"clamp","mipmaps":true}},
        "attributes":{"a":"fullscreen","b":[[0,1],[2,3]],"c":{"value":[1]},"d":{"perInstance":[1,2]}},
        "draw":{"mode":"triangle_strip","count":3,"instances":2,"indices":[0,1,2],"cull":"back"},
        "uniforms":{"u_x":1.5,"u_m":[[1,0],[0,1]]},
        "target":{"size":[64,48],"format":"rgba32f","formats":{"o":"rgba8"},"clear":[0,0,0,1],"blend":"alpha","depth":{"test":"lequal"}},
        "vectors":{"seed":7,"count":10,"uniforms":{"u_x":{"range":[-1,1]},"u_n":{"int":[0,8]},"u_o":{"of":[1,[2]]}}},
        "rules":[{"id":"compile"},{"id":"p","probe":[0,0,2,2],"eq":[1,0.5],"tol":{"abs":1,"ulp":4}},
            {"id":"e","every":"r == sin(u_x) + 1"},{"id":"i","image":"a.png","max":3,"outliers":2},{"id":"s","same":{"u_x":"-u_x"},"holds":"a.r == b.r"}]}"#;
    let odd = prop_oneof![
        Just("1e999"),
        Just("-1"),
        Just("null"),
        Just("[]"),
        Just("{}"),
        Just("\"\""),
        Just("18446744073709551616"),
        Just("[[[[[[[[]]]]]]]]"),
        Just("0.5"),
        Just("true"),
        Just("4294967295"),
    ];
    let places: Vec<usize> = WHOLE.match_indices(':').map(|(at, _)| at + 1).collect();
    let replaced = (proptest::sample::select(places), odd, 0_usize..40).prop_map(|(at, odd, cut)| {
        let end = (at + cut).min(WHOLE.len());
        let end = (end..=WHOLE.len()).find(|end| WHOLE.is_char_boundary(*end)).unwrap_or(WHOLE.len());
        [&WHOLE[..at], odd, &WHOLE[end..]].concat().into_bytes()
    });
    let bitten = (0..WHOLE.len(), any::<u8>()).prop_map(|(at, byte)| {
        let mut bytes = WHOLE.as_bytes().to_vec();
        bytes[at] = byte;
        bytes
    });
    prop_oneof![replaced, bitten, proptest::collection::vec(any::<u8>(), 0..200)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_are_read(bytes in nearly_a_check()) {
        if let Ok(check) = Check::read(&bytes) {
            let nothing = Interface::default();
            let _ = scene::scene(&check, &nothing, std::path::Path::new("/nowhere"), true);
            for rule in &check.rules {
                prop_assert!(rule.kind().is_ok());
            }
        }
    }

    #[test]
    fn any_expression_is_read(text in "[rgba_0-9.eE+*/<>=!&|?:()\\[\\], x-]{0,60}") {
        let _ = Condition::read(&text, &mut |name| (name.len() == 1).then_some(0)).map(|condition| {
            let tolerance = crate::check::Tolerance::default();
            (condition.holds(&[0.5], &tolerance), condition.sides(&[f64::NAN], &tolerance))
        });
    }
}
