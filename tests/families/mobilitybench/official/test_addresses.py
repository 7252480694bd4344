import pytest

from planspec.families.mobilitybench.official.addresses import city_and_district, divisions


@pytest.mark.parametrize(
    ("text", "city", "district"),
    [
        ("浙江省杭州市西湖区文三路", "杭州市", "西湖区"),
        ("您当前在杭州西湖区附近", "杭州市", "西湖区"),
        ("江西省西湖区", "南昌市", "西湖区"),
        ("江西省南昌市", "南昌市", None),
        ("浙江省", None, None),
        ("北京市朝阳区", "市辖区", "朝阳区"),
        ("长春市朝阳区", "长春市", "朝阳区"),
        ("朝阳区", "长春市", "朝阳区"),
        ("吉林", None, None),
        ("吉林市", "吉林市", None),
        ("内蒙古呼和浩特", "呼和浩特市", None),
        ("西湖", None, None),
        ("武汉市西湖区", "武汉市", None),
        ("省市", None, None),
        ("", None, None),
        ("湖北省仙桃市", "省直辖县级行政区划", "仙桃市"),
        ("杭州市的西湖区和南昌市", "杭州市", "西湖区"),
    ],
)
def test_an_address_is_read_from_the_left_down_to_the_first_district(
    text: str, city: str | None, district: str | None
) -> None:
    assert city_and_district(text, divisions()) == (city, district)


def test_every_division_lies_in_a_province() -> None:
    names = divisions().names
    assert len([code for code in names if code.endswith("0000")]) == 34
    assert all(code[:2] + "0000" in names and len(code) == 6 for code in names)


def test_divisions_of_one_name_have_an_order_of_precedence() -> None:
    codes = divisions().codes
    assert codes["朝阳区"] == ("220104", "110105")
    assert codes["吉林"] == ("220000",)
